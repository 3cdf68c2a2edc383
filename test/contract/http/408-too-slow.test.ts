import { expect, test } from 'vitest';
import { RawClient } from '../../raw-client.ts';
import { envelopeCode, get, startHttpServer } from './http-server.ts';

const limits = { headersTimeoutMs: 300, requestTimeoutMs: 500 };

test.each([
  ['nothing at all', ''],
  ['half a request line', 'GET /v1'],
  ['half a header', 'GET /v1/models HTTP/1.1\r\nHo'],
  ['half a body', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'],
  [
    'half a chunk',
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{',
  ],
])('a client that sends %s and stops gets a 408', async (_name, bytes) => {
  const { port, next } = await startHttpServer({ limits });
  const client = await RawClient.connect(port);
  client.send(bytes);
  const response = await client.response();
  expect(response.status).toBe(408);
  expect(envelopeCode(response)).toBe('request-timeout');
  expect(response.headers.connection).toBe('close');
  expect(await client.rest()).toBe('');
  expect(await next()).toMatchObject({ status: 408 });
});

test('an incomplete second request gets a 408 too', async () => {
  const { port } = await startHttpServer({ limits: { headersTimeoutMs: 2000 } });
  const client = await RawClient.connect(port);
  client.send(`${get('/v1/models')}GET /v1/mod`);
  expect((await client.response()).status).toBe(200);
  const refusal = await client.response();
  expect(refusal.status).toBe(408);
  expect(envelopeCode(refusal)).toBe('request-timeout');
});

test('an idle connection is closed without a reply', async () => {
  const { port } = await startHttpServer({ limits: { keepAliveTimeoutMs: 1 } });
  const client = await RawClient.connect(port);
  client.send(get('/v1/models'));
  expect((await client.response()).status).toBe(200);
  expect(await client.rest()).toBe('');
});
