import { expect, test } from 'vitest';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { envelopeCode, expectStamped, get, post, startHttpServer } from './http-server.ts';

test.each([
  '/',
  '/v1/nope',
  '/v1//models',
  '//v1/models',
  '/v1/models/',
  '/v1/models;x',
  '/V1/models',
  '/v1/%2e%2e/v1/models',
  '/v1/../v1/models',
  '/v1/./models',
])('%s is a 404', async (path) => {
  const { port, next } = await startHttpServer();
  const response = await rawExchange(port, get(path));
  expect(response.status).toBe(404);
  expect(envelopeCode(response)).toBe('not-found');
  expect(response.headers.connection).toBe('keep-alive');
  expect(await next()).toMatchObject({ method: 'GET', path, status: 404 });
});

test('a body sent to an unknown path is not read', async () => {
  const { port } = await startHttpServer();
  for (const headers of ['Content-Type: application/json\r\n', 'Content-Type: no/such;;type\r\n', '']) {
    const response = await rawExchange(port, post('/v1/nope', '{"broken', headers));
    expect(response.status).toBe(404);
    expect(envelopeCode(response)).toBe('not-found');
  }
});

const wrongMethods: [method: string, path: string, allowed: string][] = [
  ['GET', '/echo', 'POST, OPTIONS'],
  ['PUT', '/echo', 'POST, OPTIONS'],
  ['DELETE', '/echo', 'POST, OPTIONS'],
  ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['PATCH', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['QUERY', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['PROPFIND', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['TRACE', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['TRACE', '/v1/nope', 'GET, HEAD, POST, OPTIONS'],
  ['CONNECT', 'a:443', 'GET, HEAD, POST, OPTIONS'],
  ['BREW', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['get', '/v1/models', 'GET, HEAD, OPTIONS'],
];

test.each(wrongMethods)('%s %s is not allowed', async (method, path, allowed) => {
  const { port, next } = await startHttpServer();
  const response = await rawExchange(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(response.status).toBe(405);
  expect(response.headers.allow).toBe(allowed);
  expect(envelopeCode(response)).toBe('method-not-allowed');
  expect(await next()).toMatchObject({ method, status: 405 });
});

test('HEAD for a path without GET is a 405 without a body', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n${get('/v1/models')}`);
  const response = await client.response(true);
  expect(response.status).toBe(405);
  expect(response.headers.allow).toBe('POST, OPTIONS');
  expectStamped(response);
  expect((await client.response()).status).toBe(200);
});

test('an unknown method on an unknown path is a 404', async () => {
  const { port } = await startHttpServer();
  const response = await rawExchange(port, 'BREW /coffee HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(response.status).toBe(404);
  expect(envelopeCode(response)).toBe('not-found');
});

test('CONNECT is answered after the request before it', async () => {
  const { port } = await startHttpServer();
  const client = await RawClient.connect(port);
  client.send(`${get('/v1/models')}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect((await client.response()).status).toBe(200);
  expect((await client.response()).status).toBe(405);
  expect(await client.rest()).toBe('');
});

test('routes with and without parameters are found in one pipeline of requests', async () => {
  const { port } = await startHttpServer({
    routes: [{ method: 'GET', path: '/things/:id', handle: (exchange) => exchange.json(200, 'thing') }],
  });
  const head = 'HEAD /v1/models HTTP/1.1\r\nHost: a\r\n\r\n';
  const client = await RawClient.connect(port);
  client.send(get('/v1/models') + head + get('/v1/models?x') + get('/things/a') + post('/echo', '{}'));
  const statuses = [];
  for (const isHead of [false, true, false, false, false]) statuses.push((await client.response(isHead)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
});
