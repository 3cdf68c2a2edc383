import { type HeaderLines, headerLines } from '../http1/request-text.ts';
import type { CallTrace } from '../../../core/request-trace.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { unpricedHeaders } from 'chat-formats/messages/request/priced-betas.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';

/** The header with a key: a bearer token, unless the provider has a header of its own for it. */
export function keyHeaders(
  { keyHeader }: Pick<ResolvedUpstream, 'keyHeader'>,
  key: string,
): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key };
}

/** One set of header lines per credential. A provider without credentials has one set. */
export function requestHeaders(
  credentials: readonly Readonly<Record<string, string>>[],
  extra: Readonly<Record<string, string>>,
  body = jsonForEvents,
): readonly HeaderLines[] {
  const own = { 'content-type': body.contentType, accept: body.accept, 'user-agent': 'chat-gateway' };
  const sets = credentials.length > 0 ? credentials : [{}];
  return sets.map((credential) => headerLines({ ...own, ...credential, ...lowerCased(extra) }));
}

const jsonForEvents = { contentType: 'application/json', accept: 'text/event-stream' };

/** Lower-case names, so that a header in the file replaces the default one. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the header lines of a call, with trace headers if `passTrace` is set and the call is traced. */
export function tracedLines(
  { passTrace }: { readonly passTrace: boolean },
  lines: HeaderLines,
  trace: CallTrace | undefined,
): HeaderLines {
  return passTrace && trace ? ((lines + headerLines(trace.headers)) as HeaderLines) : lines;
}

interface MessagesHeaders {
  readonly credentials: number;
  /** The headers of the format for this request, unless the file sets them. */
  formatHeaders(request: ChatRequest): Readonly<Record<string, string>>;
  linesFor(request: ChatRequest, credential: number): HeaderLines;
}

const defaultVersion = '2023-06-01';

/** Format headers of the client are forwarded, except for betas with a different price. */
export function messagesHeaders(
  spec: ResolvedUpstream,
  credentials: readonly Readonly<Record<string, string>>[],
  accept?: string,
): MessagesHeaders {
  const sets = requestHeaders(credentials, spec.headers, { ...jsonForEvents, ...(accept !== undefined && { accept }) });
  const isConfigured = new Set(Object.keys(spec.headers).map((name) => name.toLowerCase()));
  const formatHeaders = ({ wire, priceOptions }: ChatRequest): Readonly<Record<string, string>> => {
    // A beta that selects a speed is forwarded with the speed.
    const ofClient = priceOptions?.level?.speed === undefined ? unpricedHeaders(wire.headers) : wire.headers;
    const ofFormat = { 'anthropic-version': defaultVersion, ...validHeaders(ofClient ?? {}) };
    return Object.fromEntries(Object.entries(ofFormat).filter(([name]) => !isConfigured.has(name)));
  };
  return {
    credentials: sets.length,
    formatHeaders,
    linesFor: (request, credential) => (sets[credential] + headerLines(formatHeaders(request))) as HeaderLines,
  };
}

/** Drops values that are invalid in a header line. Such a value is an error of the client, but no reason to fail. */
function validHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\t\x20-\x7e]*$/.test(value)));
}
