import { type HeaderLines, headerLines } from '../http1/request-text.ts';

/**
 * Returns the headers of requests to a provider, one set per credential. A provider without credentials has one set.
 */
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
