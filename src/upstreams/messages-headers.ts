import type { ChatRequest } from '../core/chat-request.ts';
import { type HeaderLines, headerLines } from './http1/request-text.ts';
import { requestHeaders } from './request-headers.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';

interface MessagesHeaders {
  readonly credentials: number;
  linesFor(request: ChatRequest, credential: number): HeaderLines;
}

const versionUnlessSaid = '2023-06-01';

/** The headers of requests to a provider of the messages format; what a client of the format says about it goes up. */
export function messagesHeaders(spec: ResolvedUpstream): MessagesHeaders {
  const credentials = spec.apiKeys.map((key) => ({ 'x-api-key': key }));
  const sets = requestHeaders(credentials, spec.headers);
  const isSaid = new Set(Object.keys(spec.headers).map((name) => name.toLowerCase()));
  const linesFor = ({ wire }: ChatRequest, credential: number): HeaderLines => {
    const ofFormat = { 'anthropic-version': versionUnlessSaid, ...fitToSend(wire.headers ?? {}) };
    const unsaid = Object.entries(ofFormat).filter(([name]) => !isSaid.has(name));
    return (sets[credential] + headerLines(Object.fromEntries(unsaid))) as HeaderLines;
  };
  return { credentials: sets.length, linesFor };
}

/** A value that cannot stand on a header line is the client's mistake and no reason to fail. */
function fitToSend(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\t\x20-\x7e]*$/.test(value)));
}
