import { expect, test } from 'vitest';
import { defaultHttpLimits } from '../limits.ts';
import { simpleHead, simpleRoutes } from './simple-head.ts';

const routes = simpleRoutes([
  { method: 'POST', path: '/v1/chat', takesSimpleRequests: true, handle: () => {} },
  { method: 'POST', path: '/v1/other', handle: () => {} },
]);

function read(text: string, limits = {}) {
  return simpleHead(Buffer.from(text, 'latin1'), routes, { ...defaultHttpLimits, ...limits });
}

const line = 'POST /v1/chat HTTP/1.1\r\n';
const usual = 'Host: a:80\r\nContent-Length: 2\r\n';

test('the head of a usual client is simple', () => {
  const text = `${line}host: api.example.com\r\nconnection: Keep-Alive\r\nAuthorization: Bearer k \r\nX-Empty:\r\ncontent-length:\t12\r\n\r\n{`;
  const head = read(text);
  expect(head).toMatchObject({ bodyStart: text.length - 1, bodyBytes: 12 });
  const values = { host: 'api.example.com', connection: 'Keep-Alive', authorization: 'Bearer k', 'x-empty': '' };
  for (const [name, value] of Object.entries(values)) expect(head?.headers.get(name)).toBe(value);
  expect(head?.headers.size).toBe(5);
  expect(head?.headers.get('authorizatiom')).toBeUndefined();
});

test('the parser leaves two names with the same hash to Node’s server', () => {
  expect(read(`${line}${usual}X-AB: a\r\nX-Bc: b\r\n\r\n`)).toBeDefined();
  expect(read(`${line}${usual}X~: a\r\nX^: b\r\n\r\n`)).toBeUndefined();
});

test.each([
  ['another method', `GET /v1/chat HTTP/1.1\r\n${usual}\r\n`],
  ['a method in lower case', `post /v1/chat HTTP/1.1\r\n${usual}\r\n`],
  ['a path that is not simple', `POST /v1/other HTTP/1.1\r\n${usual}\r\n`],
  ['an unknown path', `POST /v1/chat/ HTTP/1.1\r\n${usual}\r\n`],
  ['a query', `POST /v1/chat?x HTTP/1.1\r\n${usual}\r\n`],
  ['an absolute URL', `POST http://a:80/v1/chat HTTP/1.1\r\n${usual}\r\n`],
  ['HTTP/1.0', `POST /v1/chat HTTP/1.0\r\n${usual}\r\n`],
  ['two spaces in the request line', `POST  /v1/chat HTTP/1.1\r\n${usual}\r\n`],
  ['an empty line before it', `\r\n${line}${usual}\r\n`],
  ['no end', `${line}${usual}`],
  ['no headers', `${line}\r\n`],
  ['bare line feeds', `${line.replace('\r', '')}${usual.replaceAll('\r', '')}\n`],
  ['a bare line feed in a value', `${line}${usual}X: a\nb\r\n\r\n`],
  ['a bare carriage return in a value', `${line}${usual}X: a\rb\r\n\r\n`],
  ['a NUL in a value', `${line}${usual}X: a\0b\r\n\r\n`],
  ['a DEL in a value', `${line}${usual}X: a\x7fb\r\n\r\n`],
  ['a folded line', `${line}${usual}X: a\r\n b\r\n\r\n`],
  ['a space before the first header', `${line} ${usual}\r\n`],
  ['a space before a colon', `${line}${usual}X : a\r\n\r\n`],
  ['a header without a colon', `${line}${usual}X\r\n\r\n`],
  ['a header without a name', `${line}${usual}: a\r\n\r\n`],
  ['a name that is not a token', `${line}${usual}X(y): a\r\n\r\n`],
  ['a name with an umlaut', `${line}${usual}X\xe4: a\r\n\r\n`],
  ['no Host', `${line}Content-Length: 2\r\n\r\n`],
  ['an empty Host', `${line}Host:\r\nContent-Length: 2\r\n\r\n`],
  ['a bad Host', `${line}Host: a/b\r\nContent-Length: 2\r\n\r\n`],
  ['two Hosts', `${line}${usual}Host: a:80\r\n\r\n`],
  ['no Content-Length', `${line}Host: a\r\n\r\n`],
  ['two Content-Lengths', `${line}${usual}content-length: 2\r\n\r\n`],
  ['two lengths in one header', `${line}Host: a\r\nContent-Length: 2, 2\r\n\r\n`],
  ['a length with a sign', `${line}Host: a\r\nContent-Length: +2\r\n\r\n`],
  ['a length in hexadecimal', `${line}Host: a\r\nContent-Length: 0x2\r\n\r\n`],
  ['a length that is too large for a number', `${line}Host: a\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`],
  ['a body that is too large', `${line}Host: a\r\nContent-Length: 33554433\r\n\r\n`],
  ['a chunked body', `${line}${usual}Transfer-Encoding: chunked\r\n\r\n`],
  ['an expectation', `${line}${usual}Expect: 100-continue\r\n\r\n`],
  ['an upgrade', `${line}${usual}Upgrade: h2c\r\n\r\n`],
  ['a connection that ends', `${line}${usual}Connection: close\r\n\r\n`],
  ['a list in Connection', `${line}${usual}Connection: keep-alive, upgrade\r\n\r\n`],
  ['a Proxy-Connection header', `${line}${usual}Proxy-Connection: keep-alive\r\n\r\n`],
  ['a credential twice', `${line}${usual}Authorization: a\r\nauthorization: a\r\n\r\n`],
  ['any other header twice', `${line}${usual}X: a\r\nx: b\r\n\r\n`],
])('the parser leaves a request with %s to Node’s server', (_name, text) => {
  expect(read(text)).toBeUndefined();
});

test('the parser leaves a head beyond the limits to Node’s server', () => {
  const text = `${line}${usual}X: a\r\n\r\n`;
  expect(read(text, { headerBytesMax: text.length, headersMax: 3 })).toBeDefined();
  expect(read(text, { headerBytesMax: text.length - 1 })).toBeUndefined();
  expect(read(text, { headersMax: 2 })).toBeUndefined();
});
