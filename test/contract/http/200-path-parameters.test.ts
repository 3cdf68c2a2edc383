import { expect, test } from 'vitest';
import type { Route } from '../../../src/serving/http/route.ts';
import { rawExchange } from '../../raw-client.ts';
import { envelopeCode, get, startHttpServer } from './http-server.ts';

const things = (method: Route['method'], path: string): Route => ({
  method,
  path,
  handle: (exchange, parameters) =>
    exchange.json(200, { path, ...parameters, query: [...exchange.query], method: exchange.method }),
});

const routes = [
  things('GET', '/things'),
  things('POST', '/things'),
  things('GET', '/things/:id'),
  things('PUT', '/things/:id'),
  things('PATCH', '/things/:id'),
  things('DELETE', '/things/:id'),
  things('GET', '/things/:id/parts/:part'),
  things('GET', '/files/*name'),
];

test.each([
  ['/things/a', { id: 'a' }],
  ['/things/a%2Fb', { id: 'a/b' }],
  ['/things/%E6%97%A9:1', { id: '早:1' }],
  ['/things/a?x=1', { id: 'a' }],
  ['/things/__proto__', { id: '__proto__' }],
  [`/things/${'%E6%97%A9'.repeat(256)}`, { id: '早'.repeat(256) }],
  ['/things/a/parts/b', { id: 'a', part: 'b' }],
  ['/files/a', { name: 'a' }],
  ['/files/a/b/c?x=1', { name: 'a/b/c' }],
  ['/files/a%2Fb/%E6%97%A9', { name: 'a/b/早' }],
])('the parameters of %s are decoded', async (path, parameters) => {
  const { port } = await startHttpServer({ routes });
  const response = await rawExchange(port, get(path));
  expect(response.status).toBe(200);
  expect(JSON.parse(response.body)).toMatchObject(parameters);
});

test('the query is decoded if the target is a path or a URL', async () => {
  const { port } = await startHttpServer({ routes });
  for (const target of ['/things?a=1&a=2&b=x+y%26z', 'http://a/things?a=1&a=2&b=x+y%26z']) {
    const response = await rawExchange(port, get(target));
    const query = [
      ['a', '1'],
      ['a', '2'],
      ['b', 'x y&z'],
    ];
    expect(JSON.parse(response.body)).toMatchObject({ query });
  }
  expect(JSON.parse((await rawExchange(port, get('/things'))).body).query).toEqual([]);
});

test.each(['PUT', 'PATCH', 'DELETE'])(
  '%s reaches its route, with a body that the route does not read',
  async (method) => {
    const { port } = await startHttpServer({ routes });
    const response = await rawExchange(port, `${method} /things/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toMatchObject({ method, id: 'a' });
  },
);

test.each([
  '/things/',
  '/things//parts/b',
  '/things/a/',
  '/things/a/parts',
  '/things/a/parts/',
  '/things/a/b/c',
  '/files',
  '/files/',
  '/files//a',
  '/files/a//b',
  '/files/a/',
])('%s is a 404', async (path) => {
  const { port } = await startHttpServer({ routes });
  const response = await rawExchange(port, get(path));
  expect(response.status).toBe(404);
  expect(envelopeCode(response)).toBe('not-found');
});

test.each([
  ['POST', '/things/a', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ['BREW', '/things/a', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ['DELETE', '/things', 'GET, POST, HEAD, OPTIONS'],
  ['DELETE', '/things/a/parts/b', 'GET, HEAD, OPTIONS'],
  ['POST', '/files/a/b', 'GET, HEAD, OPTIONS'],
  ['BREW', '/files/a', 'GET, HEAD, OPTIONS'],
])('%s %s is not allowed', async (method, path, allowed) => {
  const { port } = await startHttpServer({ routes });
  const response = await rawExchange(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(response.status).toBe(405);
  expect(response.headers.allow).toBe(allowed);
  expect(envelopeCode(response)).toBe('method-not-allowed');
});

test('a broken percent-encoding in a parameter is a bad request', async () => {
  const { port } = await startHttpServer({ routes });
  const response = await rawExchange(port, get('/things/%zz'));
  expect([response.status, envelopeCode(response)]).toEqual([400, 'bad-request']);
});
