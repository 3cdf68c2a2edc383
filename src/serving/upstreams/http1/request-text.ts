declare const checked: unique symbol;

/** Header lines that were validated once and can be written unchanged. */
export type HeaderLines = string & { readonly [checked]: true };

/** Throws for a name or value that could break out of its line. Leaves out headers that this client sets itself. */
export function headerLines(fields: Readonly<Record<string, string>>): HeaderLines {
  let lines = '';
  for (const [name, value] of Object.entries(fields)) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
      throw new TypeError(`invalid header name ${JSON.stringify(name)}`);
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new TypeError(`the value of header ${name} is not allowed`);
    if (!ownHeader.test(name)) lines += `${name}: ${value}\r\n`;
  }
  return lines as HeaderLines;
}

const ownHeader = /^(?:host|content-length|transfer-encoding|connection|te|trailer|upgrade|expect|accept-encoding)$/i;

/** Returns the request target of an address. It is validated, because it is written into the request line. */
export function requestTarget(address: URL): string {
  const target = `${address.pathname}${address.search}`;
  if (!/^\/[\x21-\x7e]*$/.test(target)) throw new TypeError('the address has a malformed path');
  return target;
}

/** Formats a complete request as one string, so that it is sent in one write. */
export function requestText(
  method: 'GET' | 'POST',
  address: { readonly host: string; readonly target: string },
  headers: HeaderLines,
  body: string | undefined,
): string {
  const start = `${method} ${address.target} HTTP/1.1\r\nhost: ${address.host}\r\naccept-encoding: identity\r\n${headers}`;
  return body === undefined ? `${start}\r\n` : `${start}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Like `requestText`, for a binary body. */
export function requestBytes(
  address: { readonly host: string; readonly target: string },
  headers: HeaderLines,
  body: Buffer,
): Buffer {
  const start = `${requestText('POST', address, headers, undefined).slice(0, -2)}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(start, 'latin1'), body]);
}
