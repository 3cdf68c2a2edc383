import { expect, test } from 'vitest';
import { rawExchange } from '../../raw-client.ts';
import { envelopeCode, get, startHttpServer } from './http-server.ts';

test.each(['foo', 'foo, 100-continue', '100-continue, foo', '100-continued'])(
  'the Expect header %s gets a 417',
  async (words) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, get('/v1/models', `Expect: ${words}\r\n`));
    expect(response.status).toBe(417);
    expect(envelopeCode(response)).toBe('expectation-failed');
  },
);

test.each([
  ['a header of 20 KB', get('/v1/models', `x: ${'a'.repeat(20_000)}\r\n`)],
  ['a path of 20 KB', get(`/${'a'.repeat(20_000)}`)],
  ['a request line that never ends', `GET /${'a'.repeat(20_000)}`],
  ['201 headers', get('/v1/models', 'a: b\r\n'.repeat(200))],
  ['2500 headers', get('/v1/models', 'a:b\r\n'.repeat(2500))],
])('a request with %s gets a 431', async (_name, bytes) => {
  const { port, next } = await startHttpServer();
  const response = await rawExchange(port, bytes);
  expect(response.status).toBe(431);
  expect(envelopeCode(response)).toBe('headers-too-large');
  expect(response.headers.connection).toBe('close');
  expect(await next()).toMatchObject({ status: 431 });
});

test('a request with 200 headers is accepted', async () => {
  const { port } = await startHttpServer();
  expect((await rawExchange(port, get('/v1/models', 'a: b\r\n'.repeat(199)))).status).toBe(200);
});

test('a limit above Node’s own limit of headers is enforced', async () => {
  const { port } = await startHttpServer({ limits: { headersMax: 1500, headerBytesMax: 65_536 } });
  expect((await rawExchange(port, get('/v1/models', 'a:b\r\n'.repeat(1499)))).status).toBe(200);
  expect((await rawExchange(port, get('/v1/models', 'a:b\r\n'.repeat(1500)))).status).toBe(431);
});
