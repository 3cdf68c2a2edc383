import type { ChatRequest } from '../core/chat-request.ts';
import { type HeaderLines, headerLines } from './http1/request-text.ts';
import { requestHeaders } from './request-headers.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';

const versionUnlessSaid = '2023-06-01';

/** The headers of a request to a provider of the messages format; what a client of the format says about it goes up. */
export function messagesHeaders(spec: ResolvedUpstream): (request: ChatRequest) => HeaderLines {
  const credentials = spec.apiKeys.map((key) => ({ 'x-api-key': key }));
  const next = requestHeaders(credentials, spec.headers);
  const isSaid = new Set(Object.keys(spec.headers).map((name) => name.toLowerCase()));
  return ({ wire }) => {
    const ofFormat = { 'anthropic-version': versionUnlessSaid, ...fitToSend(wire.headers ?? {}) };
    const unsaid = Object.entries(ofFormat).filter(([name]) => !isSaid.has(name));
    return (next() + headerLines(Object.fromEntries(unsaid))) as HeaderLines;
  };
}

/** A value that cannot stand on a header line is the client's mistake and no reason to fail. */
function fitToSend(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\t\x20-\x7e]*$/.test(value)));
}
