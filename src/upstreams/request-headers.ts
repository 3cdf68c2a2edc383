import { type HeaderLines, headerLines } from './http1/request-text.ts';

/** The headers of a provider's requests, one set a credential; a provider that wants none has one set all the same. */
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

/** Names are compared without regard to case, so that a header in the file replaces ours. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
