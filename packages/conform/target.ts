/** The deployment under test. */
export interface ConformTarget {
  /** Address of the deployment, with or without a trailing slash or `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** Path prefix of the messages surface. */
  readonly messagesPrefix?: string;
}

/** The address to which paths such as `/v1/models` are appended. Throws an error for the user if it is invalid. */
export function rootOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error('Write an address like http://127.0.0.1:8080 or https://gateway.example.com.');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new Error('Leave out the query, the fragment and the user of the address.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '')}`;
}

/** Normalises a path prefix: one leading slash, no trailing slash; empty for the root. */
export function prefixOf(prefix: string): string {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `/${trimmed}`;
}
