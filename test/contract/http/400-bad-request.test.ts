import { expect, test } from 'vitest';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { envelopeCode, get, heldRoute, post, startHttpServer } from './http-server.ts';

const line = 'GET /v1/models HTTP/1.1\r\n';
const host = 'Host: a\r\n';
const postHead = `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;

const cases: Record<string, string | Uint8Array> = {
  'no Host': `${line}\r\n`,
  'an empty Host': `${line}Host:\r\n\r\n`,
  'a doubled Host': `${line}${host}Host: b\r\n\r\n`,
  'the same Host twice': `${line}${host}${host}\r\n`,
  'a Host with a space': `${line}Host: a b\r\n\r\n`,
  'a Host with a path': `${line}Host: a/b\r\n\r\n`,
  'an address of another host': `GET http://evil/v1/models HTTP/1.1\r\n${host}\r\n`,
  'an address with a user': `GET http://user@a/v1/models HTTP/1.1\r\n${host}\r\n`,
  'a target without a slash': `GET v1/models HTTP/1.1\r\n${host}\r\n`,
  'a star as target': `GET * HTTP/1.1\r\n${host}\r\n`,
  'a fragment in the target': `GET /v1/models#top HTTP/1.1\r\n${host}\r\n`,
  'a long address with a fragment': `GET http://${'a'.repeat(12_000)}#x HTTP/1.1\r\n${host}\r\n`,
  'a broken percent-encoding': get('/v1/%zz'),
  'raw UTF-8 in the target': Buffer.from(`GET /早 HTTP/1.1\r\n${host}\r\n`),
  'HTTP/0.9': 'GET /v1/models\r\n\r\n',
  'a line that says HTTP/0.9': 'GET /v1/models HTTP/0.9\r\n\r\n',
  'HTTP/1.2': `GET /v1/models HTTP/1.2\r\n${host}\r\n`,
  'HTTP/2.0': `GET /v1/models HTTP/2.0\r\n${host}\r\n`,
  'HTTP/3.0': `GET /v1/models HTTP/3.0\r\n${host}\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS hello': Uint8Array.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 1, 2, 3, 4, 5, 6, 7]),
  'garbage bytes': '\x00\x01\xfe garbage\r\n\r\n',
  'plain words': 'hello there\r\n\r\n',
  'bare line feeds': 'GET /v1/models HTTP/1.1\nHost: a\n\n',
  'a bare line feed after a header': `${line}Host: a\nx: y\r\n\r\n`,
  'a folded header': `${line}${host}x: y\r\n z\r\n\r\n`,
  'a space before the colon': `${line}Host : a\r\n\r\n`,
  'a NUL in a header': `${line}${host}x: a\x00b\r\n\r\n`,
  'a carriage return in a header': `${line}${host}x: a\rb\r\n\r\n`,
  'Transfer-Encoding and Content-Length': `${postHead}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
  'Content-Length and Transfer-Encoding': `${postHead}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two Content-Lengths': `${postHead}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
  'the same Content-Length twice': `${postHead}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'a list as Content-Length': `${postHead}Content-Length: 2, 2\r\n\r\n{}`,
  'a negative Content-Length': `${postHead}Content-Length: -1\r\n\r\n`,
  'a signed Content-Length': `${postHead}Content-Length: +2\r\n\r\n{}`,
  'a word as Content-Length': `${postHead}Content-Length: abc\r\n\r\n{}`,
  'a Content-Length beyond all numbers': `${postHead}Content-Length: 99999999999999999999\r\n\r\n{}`,
  'an unknown Transfer-Encoding': `${postHead}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a compressed Transfer-Encoding': `${postHead}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunked twice': `${postHead}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  'two Transfer-Encodings': `${postHead}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks over HTTP/1.0': `POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a bad chunk size': `${postHead}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk longer than announced': `${postHead}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
};

test.each(Object.entries(cases))('%s is rejected with 400 and the connection ends', async (_name, bytes) => {
  const { port, next } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(bytes);
  const response = await client.response();
  expect(response.status).toBe(400);
  expect(envelopeCode(response)).toBe('bad-request');
  expect(response.headers.connection).toBe('close');
  expect(await client.rest()).toBe('');
  expect(client.error).toBeUndefined();
  expect(await next()).toMatchObject({ status: 400, id: response.headers['x-gateway-request-id'], clientGone: false });
});

test('a body shorter than its Content-Length is rejected', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`${postHead}Content-Length: 10\r\n\r\n{}`);
  client.finish();
  const response = await client.response();
  expect(response.status).toBe(400);
  expect(envelopeCode(response)).toBe('bad-request');
});

test('incomplete headers are rejected', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`${line}Ho`);
  client.finish();
  const response = await client.response();
  expect(response.status).toBe(400);
  expect(envelopeCode(response)).toBe('bad-request');
});

test('invalid bytes after a request are rejected after its reply', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`${get('/v1/models')}\x00garbage\r\n\r\n`);
  expect((await client.response()).status).toBe(200);
  const refusal = await client.response();
  expect(refusal.status).toBe(400);
  expect(envelopeCode(refusal)).toBe('bad-request');
  expect(await client.rest()).toBe('');
});

test('invalid bytes after a slow request are rejected after its reply', async () => {
  const held = heldRoute();
  const { port, server } = await startHttpServer({ routes: [held.route] });
  const client = await RawClient.connect(port);
  client.send(`${post('/held', '{}')}${get('/v1/models')}\x00garbage\r\n\r\n`);
  await expect.poll(() => server.inFlight).toBe(2);
  (await held.taken).json(200, 'first');
  expect((await client.response()).body).toBe('"first"');
  expect((await client.response()).body).toBe('{"host":"a"}');
  expect((await client.response()).status).toBe(400);
  expect(await client.rest()).toBe('');
});

test('the error describes the invalid value and does not repeat it', async () => {
  const { port } = await startHttpServer();
  const response = await rawExchange(port, `GET /v1/models HTTP/1.1\r\nHost: secret host\r\n\r\n`);
  expect(response.body).not.toContain('secret');
  expect(response.body).toContain('Host header');
});
