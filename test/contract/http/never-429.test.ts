import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/time/clock.ts';
import { HttpFault } from '../../../src/serving/http/fault.ts';
import { defaultHttpLimits } from '../../../src/serving/http/limits.ts';
import { HttpServer } from '../../../src/serving/http/server.ts';
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
  const server = new HttpServer({
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
