import { expect, test } from 'vitest';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { expectStamped, get, startHttpServer } from './http-server.ts';

const origin = 'Origin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n';

test.each(['/echo', '/v1/models', '/v1/nope', '*'])('a preflight request for %s is allowed', async (path) => {
  const { port } = await startHttpServer();
  const requestHeaders = 'Access-Control-Request-Headers: authorization, x-stainless-os\r\n';
  const response = await rawExchange(port, `OPTIONS ${path} HTTP/1.1\r\nHost: a\r\n${origin}${requestHeaders}\r\n`);
  expect(response.status).toBe(204);
  expectStamped(response);
  expect(response.headers['access-control-allow-methods']).toContain('POST');
  expect(response.headers['access-control-allow-headers']).toBe('authorization, x-stainless-os');
  expect(response.headers['access-control-max-age']).toBe('86400');
  expect(response.headers['access-control-allow-credentials']).toBeUndefined();
  expect(response.headers['content-length']).toBeUndefined();
});

test.each(['', 'Access-Control-Request-Headers: <script>, "x"\r\n'])(
  'a preflight request with %j gets the default headers',
  async (requestHeaders) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, `OPTIONS /echo HTTP/1.1\r\nHost: a\r\n${origin}${requestHeaders}\r\n`);
    expect(response.headers['access-control-allow-headers']).toBe('authorization, content-type, x-api-key');
  },
);

test('the request after a preflight uses the same connection', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`OPTIONS /v1/models HTTP/1.1\r\nHost: a\r\n${origin}\r\n`);
  expect((await client.response()).status).toBe(204);
  client.send(get('/v1/models'));
  expect((await client.response()).status).toBe(200);
});
