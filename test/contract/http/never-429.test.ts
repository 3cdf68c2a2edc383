import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { HttpFault } from '../../../src/http/fault.ts';
import { defaultHttpLimits } from '../../../src/http/limits.ts';
import { httpServer } from '../../../src/http/server.ts';
import { rawExchange } from '../../raw-client.ts';
import { expectStamped, get, Refusal, startHttpServer } from './http-server.ts';

const rateLimitHeaders = [
  'Retry-After',
  '1',
  'ratelimit-limit',
  '1',
  'RateLimit',
  'limit=1',
  'X-RateLimit-Remaining',
  '0',
  'x-rate-limit-reset',
  '1',
  'x-gateway-version',
  'mine',
  'x-kept',
  'yes',
];

test('a route that sends 429 sends 503, without its headers', async () => {
  const { port } = await startHttpServer({
    routes: [
      {
        method: 'GET',
        path: '/sends',
        handle: (exchange) => exchange.send(429, 'text/plain', 'slow down', rateLimitHeaders),
      },
      { method: 'GET', path: '/fails', handle: (exchange) => exchange.fail(new Refusal(429, rateLimitHeaders)) },
    ],
  });
  for (const path of ['/sends', '/fails']) {
    const response = await rawExchange(port, get(path));
    expect(response.status).toBe(503);
    expect(response.headers['x-kept']).toBe('yes');
    expectStamped(response);
  }
});

test('invalid bytes never get a 429 either', async () => {
  const server = httpServer({
    routes: [],
    limits: defaultHttpLimits,
    stamp: () => '20260102-030405',
    newId: () => 'request-1',
    explain: (error) => ({ status: error instanceof HttpFault ? 429 : 500, headers: rateLimitHeaders, body: '{}' }),
    observe: (done) => expect(done.status).toBe(503),
    clock: systemClock,
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const response = await rawExchange(port, 'garbage\r\n\r\n');
  expect(response.status).toBe(503);
  expect(response.headers['x-kept']).toBe('yes');
  expectStamped(response);
  server.destroy();
});

test('a route of a Fastify plugin never sends a 429 either', async () => {
  const { port, next } = await startHttpServer({
    prepare: ({ app }) => {
      app.get('/plugin', (_request, reply) =>
        reply
          .code(429)
          .headers({ 'retry-after': '1', 'x-ratelimit-limit': 1, 'x-kept': ['yes', 'both'] })
          .send({ a: 1 }),
      );
      app.get('/plugin/raw', (_request, reply) => {
        reply.hijack();
        reply.raw.setHeader('retry-after', '1');
        reply.raw.setHeader('x-kept', ['yes', 'both']);
        reply.raw.statusCode = 429;
        reply.raw.end('x');
      });
    },
  });
  for (const path of ['/plugin', '/plugin/raw']) {
    const response = await rawExchange(port, get(path));
    expect(response.status).toBe(503);
    expect(response.headers['x-kept']).toBe('yes, both');
    expectStamped(response);
    expect(await next()).toMatchObject({ path, status: 503, id: response.headers['x-gateway-request-id'] });
  }
});

test('an error in a plugin gets the usual error reply', async () => {
  const { port } = await startHttpServer({
    prepare: ({ app }) => {
      app.post('/plugin', () => {
        throw new Refusal(409);
      });
    },
  });
  const head = 'POST /plugin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const conflict = await rawExchange(port, `${head}Content-Length: 2\r\n\r\n{}`);
  expect(conflict.status).toBe(409);
  expectStamped(conflict);
  const broken = await rawExchange(port, `${head}Content-Length: 1\r\n\r\n{`);
  expect(broken.status).toBe(500);
  expectStamped(broken);
});
