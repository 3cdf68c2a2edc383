import { type HeaderLines, headerLines } from './http1/request-text.ts';

/** The headers of a provider's requests, once for each credential: they are used in turn. */
export function requestHeaders(
  credentials: readonly Readonly<Record<string, string>>[],
  extra: Readonly<Record<string, string>>,
): () => HeaderLines {
  const own = { 'content-type': 'application/json', accept: 'text/event-stream', 'user-agent': 'chat-gateway' };
  const inTurn = (credentials.length > 0 ? credentials : [{}]).map((credential) =>
    headerLines({ ...own, ...credential, ...lowerCased(extra) }),
  );
  let turn = 0;
  return () => {
    const lines = inTurn[turn % inTurn.length] ?? headerLines(own);
    turn = (turn + 1) % inTurn.length;
    return lines;
  };
}

/** Names are compared without regard to case, so that a header in the file replaces ours. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
