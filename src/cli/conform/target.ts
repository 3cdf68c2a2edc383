/** The deployment under test. */
export interface ConformTarget {
  /** Address of the deployment, with or without a trailing slash or `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** Where the messages surface is mounted. */
  readonly messagesPrefix?: string;
}

/** The address that paths such as `/v1/models` are appended to; throws a sentence for the user when it is no address. */
export function rootOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error('Write an address like http://127.0.0.1:8080 or https://gateway.example.com.');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new Error('Leave out the query, the fragment and the user: only the address is needed.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '')}`;
}

/** A path prefix with one leading slash and none at the end; empty when the surface is mounted at the root. */
export function prefixOf(prefix: string): string {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `/${trimmed}`;
}
