import type { ChatRequest, Wire } from '../core/chat-request.ts';
import { type HeaderLines, headerLines } from './http1/request-text.ts';
import { requestHeaders } from './request-headers.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';

interface MessagesHeaders {
  readonly credentials: number;
  linesFor(request: ChatRequest, credential: number): HeaderLines;
}

const defaultVersion = '2023-06-01';

/**
 * The headers of requests to a provider of the messages format. Format headers of the client are forwarded, except for
 * betas with a different price.
 */
export function messagesHeaders(spec: ResolvedUpstream): MessagesHeaders {
  const credentials = spec.apiKeys.map((key) => ({ 'x-api-key': key }));
  const sets = requestHeaders(credentials, spec.headers);
  const isConfigured = new Set(Object.keys(spec.headers).map((name) => name.toLowerCase()));
  const linesFor = ({ wire }: ChatRequest, credential: number): HeaderLines => {
    const ofFormat = { 'anthropic-version': defaultVersion, ...validHeaders(unpricedHeaders(wire.headers)) };
    const added = Object.entries(ofFormat).filter(([name]) => !isConfigured.has(name));
    return (sets[credential] + headerLines(Object.fromEntries(added))) as HeaderLines;
  };
  return { credentials: sets.length, linesFor };
}

/** Drops values that are invalid in a header line. Such a value is an error of the client, but no reason to fail. */
function validHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\t\x20-\x7e]*$/.test(value)));
}

const betaHeader = 'anthropic-beta';

/** The beta for faster answers at a higher price. */
const isFastMode = (beta: string): boolean => /^fast-mode\b/i.test(beta);

function betasIn(headers: Wire['headers']): readonly string[] {
  return (headers?.[betaHeader] ?? '').split(',').map((beta) => beta.trim());
}

/**
 * Returns the betas that are not forwarded because a model's entry has no price for them, as notes for the request
 * record.
 */
export function pricedBetas(headers: Wire['headers']): readonly string[] {
  return betasIn(headers)
    .filter(isFastMode)
    .map((beta) => `${betaHeader}: ${beta.slice(0, betaShownMax)}`);
}

/** Longer names are truncated in notes. */
const betaShownMax = 64;

function unpricedHeaders(headers: Wire['headers'] = {}): Readonly<Record<string, string>> {
  const betas = betasIn(headers);
  const kept = betas.filter((beta) => !isFastMode(beta));
  if (kept.length === betas.length) return headers;
  const { [betaHeader]: _, ...others } = headers;
  return kept.length === 0 ? others : { ...others, [betaHeader]: kept.join(',') };
}
