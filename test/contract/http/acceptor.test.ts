import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../../src/core/time/clock.ts';
import { isSimpleExchange, type SimpleExchange } from '../../../src/serving/http/exchange.ts';
import { HttpFault } from '../../../src/serving/http/fault.ts';
import type { HttpLimits } from '../../../src/serving/http/limits.ts';
import type { Route } from '../../../src/serving/http/route.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { get, heldRoute, post, Refusal, startHttpServer } from './http-server.ts';

/** Fake intervals: the acceptor checks its connections only when a test advances them. */
beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

/** Longer than a simple request may take to arrive, and shorter than the idle timeout of a connection. */
const twoChecksMs = 2500;

/** A server, a client, and the URLs of the requests that Node's server gets. */
async function acceptor(
  options: { routes?: readonly Route[]; limits?: Partial<HttpLimits>; clock?: Partial<Clock> } = {},
) {
  const testServer = await startHttpServer(options);
  const toNode = vi.fn((request: { url?: string }) => request.url);
  testServer.server.node.on('request', toNode);
  const sockets: Socket[] = [];
  testServer.server.node.prependListener('connection', (socket) => sockets.push(socket));
  const client = await RawClient.connect(testServer.port);
  const handedOver = (): unknown[] => toNode.mock.results.map(({ value }) => value);
  return { ...testServer, client, handedOver, sockets: () => sockets };
}

test('slow requests start one after another, and one whose client leaves before that never starts', async () => {
  let nowMs = 0;
  const startedIds: string[] = [];
  const slow: Route = {
    method: 'POST',
    path: '/slow',
    handle(exchange) {
      nowMs += 1;
      startedIds.push(exchange.id);
      exchange.json(200, {});
    },
  };
  const { port, server, seen, sockets } = await acceptor({ routes: [slow], clock: { elapsed: () => nowMs } });
  const clients = [await RawClient.connect(port), await RawClient.connect(port)];
  await expect.poll(() => sockets().length, { message: 'accepted connections' }).toBe(3);
  // Requests wait for one or two event-loop turns while clients connect.
  for (let turns = 0; turns < 3; turns += 1) await setImmediate();
  const [first, second, third] = sockets();
  for (const socket of [first, second, third]) socket?.emit('data', Buffer.from(post('/slow', '{}')));
  expect(startedIds).toEqual(['request-000000001']);
  second?.destroy();
  await expect.poll(() => seen.length, { message: 'ended requests' }).toBe(3);
  expect(startedIds).toEqual(['request-000000001', 'request-000000003']);
  expect(seen.filter(({ clientGone }) => clientGone).map(({ id }) => id)).toEqual(['request-000000002']);
  expect(server.inFlight).toBe(0);
  for (const client of clients) client.destroy();
});

/** Splits off the last bytes of a request. */
function splitEnd(request: string, missing: number): [string, string] {
  return [request.slice(0, -missing), request.slice(-missing)];
}

const replyRoutes: readonly Route[] = [
  { method: 'POST', path: '/whole', handle: (exchange) => exchange.send(200, 'text/plain', '早', ['x-more', 'é']) },
  { method: 'POST', path: '/bytes', handle: (exchange) => exchange.send(200, 'text/plain', Buffer.from('早')) },
  { method: 'POST', path: '/empty', handle: (exchange) => exchange.send(200, 'text/plain', '') },
  {
    method: 'POST',
    path: '/busy',
    handle: (exchange) => exchange.fail(new Refusal(429, ['Retry-After', '1', 'x-why', 'so'])),
  },
  { method: 'POST', path: '/odd', handle: (exchange) => exchange.send(299, 'text/plain', 'odd') },
];

test.each(['/whole', '/bytes', '/empty', '/busy', '/odd', '/echo', '/stream'])(
  'the acceptor’s reply to %s equals that of Node’s server, byte for byte',
  async (path) => {
    const sent: string[] = [];
    for (const hasAcceptor of [true, false]) {
      const { port, server } = await startHttpServer({ routes: replyRoutes, hasAcceptor });
      const toNode = vi.fn();
      server.node.on('request', toNode);
      const { raw } = await rawExchange(port, post(path, '{"a":1}'));
      expect(raw).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
      sent.push(raw.replace(/\r\nDate: [^\r]*/, ''));
      expect(toNode).toHaveBeenCalledTimes(hasAcceptor ? 0 : 1);
    }
    // If the route replies before Node has read the whole body, Node ends the connection.
    expect(sent[0]).toBe(sent[1]?.replace('Connection: close', 'Connection: keep-alive\r\nKeep-Alive: timeout=75'));
  },
);

test('the acceptor serves the simple requests of a connection until the first request that is not simple', async () => {
  const { client, handedOver, server, seen } = await acceptor();
  for (let round = 0; round < 3; round += 1) {
    client.send(post('/echo', `${round}`));
    expect(JSON.parse((await client.response()).body).value).toBe(round);
  }
  expect(handedOver()).toEqual([]);
  client.send(get('/v1/models'));
  expect((await client.response()).body).toBe('{"host":"a"}');
  client.send(post('/echo', '"after"'));
  expect(JSON.parse((await client.response()).body).value).toBe('after');
  expect(handedOver()).toEqual(['/v1/models', '/echo']);
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(server.inFlight).toBe(0);
  expect(server.connected).toBe(1);
});

test('the acceptor waits for a body that arrives after its head', async () => {
  const { client, handedOver, server } = await acceptor();
  const [head, body] = splitEnd(post('/echo', '{"a":[1,2]}'), 11);
  client.send(head);
  await expect.poll(() => server.inFlight).toBe(1);
  client.send(body.slice(0, 5));
  client.send(body.slice(5));
  expect(JSON.parse((await client.response()).body)).toMatchObject({ value: { a: [1, 2] }, bytes: 11 });
  expect(handedOver()).toEqual([]);
  expect(server.inFlight).toBe(0);
});

test('a request whose head arrives in two parts is served', async () => {
  const { client, port } = await acceptor();
  const [start, rest] = splitEnd(post('/echo', '{"a":1}'), 30);
  client.send(start);
  await rawExchange(port, post('/echo', '1'));
  client.send(rest);
  expect(JSON.parse((await client.response()).body).value).toEqual({ a: 1 });
});

test('a request that stops in its body is handed to Node’s server, which reads the rest', async () => {
  const { client, handedOver, server } = await acceptor();
  const [start, rest] = splitEnd(post('/echo', '{"a":1}'), 3);
  client.send(start);
  await expect.poll(() => server.inFlight).toBe(1);
  expect(handedOver()).toEqual([]);
  vi.advanceTimersByTime(twoChecksMs);
  expect(handedOver()).toEqual(['/echo']);
  expect(server.inFlight).toBe(1);
  client.send(rest);
  expect(JSON.parse((await client.response()).body).value).toEqual({ a: 1 });
  expect(server.inFlight).toBe(0);
});

test('a large body is handed to Node’s server immediately', async () => {
  const { client, handedOver } = await acceptor();
  client.send(post('/echo', JSON.stringify('x'.repeat(200_000))));
  expect((await client.response()).status).toBe(200);
  expect(handedOver()).toEqual(['/echo']);
});

test('a request that arrives during a reply is served after it, by the acceptor or by Node’s server', async () => {
  const held = heldRoute();
  const { client, handedOver } = await acceptor({ routes: [held.route] });
  client.send(post('/held', '{}'));
  const exchange = await held.taken;
  client.send(post('/echo', '"second"'));
  exchange.json(200, 'first');
  expect((await client.response()).body).toBe('"first"');
  expect(JSON.parse((await client.response()).body).value).toBe('second');
  client.send(get('/v1/models'));
  expect((await client.response()).status).toBe(200);
  expect(handedOver().at(-1)).toBe('/v1/models');
});

test('the bytes read during a reply are limited, and all requests in them are served', async () => {
  const held = heldRoute();
  const { client, handedOver, sockets } = await acceptor({ routes: [held.route] });
  client.send(post('/held', '{}'));
  const exchange = await held.taken;
  const large = post('/echo', JSON.stringify('x'.repeat(9_000_000)));
  client.send(large + post('/echo', '"last"'));
  const [socket] = sockets();
  await expect.poll(() => socket?.isPaused()).toBe(true);
  expect(socket?.bytesRead).toBeLessThan(1_000_000);
  exchange.json(200, 'first');
  expect((await client.response()).body).toBe('"first"');
  expect((await client.response()).status).toBe(200);
  expect(JSON.parse((await client.response()).body).value).toBe('last');
  expect(handedOver()).toEqual(['/echo', '/echo']);
});

test('a simple request above the read-ahead limit is served, and so is the request after it', async () => {
  const held = heldRoute();
  const { client, handedOver, sockets } = await acceptor({ routes: [held.route] });
  client.send(post('/held', '{}'));
  const exchange = await held.taken;
  const large = post('/echo', JSON.stringify('x'.repeat(70_000)));
  client.send(large);
  const [socket] = sockets();
  await expect.poll(() => socket?.bytesRead).toBe(post('/held', '{}').length + large.length);
  exchange.json(200, 'first');
  expect((await client.response()).body).toBe('"first"');
  expect((await client.response()).status).toBe(200);
  client.send(post('/echo', '"third"'));
  expect(JSON.parse((await client.response()).body).value).toBe('third');
  expect(handedOver()).toEqual([]);
});

test('a connection that is idle after a simple request is closed without a reply', async () => {
  const { client, server, next } = await acceptor();
  client.send(post('/echo', '1'));
  expect((await client.response()).status).toBe(200);
  await next();
  vi.advanceTimersByTime(74_000);
  expect(server.connected).toBe(1);
  vi.advanceTimersByTime(twoChecksMs);
  expect(await client.rest()).toBe('');
  await expect.poll(() => server.connected).toBe(0);
});

test('the idle timeout does not end a running reply', async () => {
  const held = heldRoute();
  const { client } = await acceptor({ routes: [held.route] });
  client.send(post('/held', '{}'));
  const exchange = await held.taken;
  vi.advanceTimersByTime(200_000);
  exchange.json(200, 'late');
  expect((await client.response()).body).toBe('"late"');
});

test('a silent connection is handed to Node’s server, which sends a 408', async () => {
  const { client, server, next } = await acceptor({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 500 } });
  await expect.poll(() => server.connected).toBe(1);
  vi.advanceTimersByTime(twoChecksMs);
  expect((await client.response()).status).toBe(408);
  expect(await next()).toMatchObject({ status: 408 });
});

test('a client that leaves before its body is complete is observed once', async () => {
  const { client, server, next, seen } = await acceptor();
  client.send(splitEnd(post('/echo', '{"a":1}'), 3)[0]);
  await expect.poll(() => server.inFlight).toBe(1);
  client.socket.resetAndDestroy();
  expect(await next()).toMatchObject({ method: 'POST', path: '/echo', status: 0, clientGone: true });
  expect(server.inFlight).toBe(0);
  expect(seen).toHaveLength(1);
});

test('a client that closes its sending side before its body is complete gets a 400', async () => {
  const { client, next } = await acceptor();
  client.send(splitEnd(post('/echo', '{"a":1}'), 3)[0]);
  client.finish();
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  expect(await next()).toMatchObject({ path: '/echo', status: 400 });
});

test('a client that closes its sending side without a request gets a closed connection', async () => {
  const { client, seen } = await acceptor();
  client.finish();
  expect(await client.rest()).toBe('');
  expect(seen).toEqual([]);
});

test('a request that is arriving when the drain starts is served, and its connection ends', async () => {
  const { client, server } = await acceptor();
  const [start, rest] = splitEnd(post('/echo', '{"a":1}'), 3);
  client.send(start);
  await expect.poll(() => server.inFlight).toBe(1);
  const drained = server.drain();
  client.send(rest);
  expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  await drained;
});

/** The server has read a second request of the client, and the first still waits for its reply. */
async function withSecondRequest() {
  const held = heldRoute();
  const started = await acceptor({ routes: [held.route] });
  started.client.send(post('/held', '{}'));
  const exchange = await held.taken;
  started.client.send(get('/v1/models'));
  const [socket] = started.sockets();
  await expect.poll(() => socket?.bytesRead).toBe(post('/held', '{}').length + get('/v1/models').length);
  return { ...started, exchange };
}

test('a second request on the connection is served if the drain starts before the first reply', async () => {
  const { client, exchange, server } = await withSecondRequest();
  const drained = server.drain();
  exchange.json(200, 'first');
  expect(await client.response()).toMatchObject({ body: '"first"', headers: { connection: 'keep-alive' } });
  expect(await client.response()).toMatchObject({ body: '{"host":"a"}', headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  await drained;
});

test('a second request is ignored if the first reply ends the connection', async () => {
  const { client, exchange, handedOver, server } = await withSecondRequest();
  exchange.fail(new HttpFault('bad-request'));
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  vi.advanceTimersByTime(twoChecksMs);
  client.finish();
  await expect.poll(() => server.connected).toBe(0);
  expect(handedOver()).toEqual([]);
});

test('a drain closes an idle connection of the acceptor', async () => {
  const { client, server } = await acceptor();
  client.send(post('/echo', '1'));
  await client.response();
  await server.drain();
  expect(await client.rest()).toBe('');
  expect(server.connected).toBe(0);
});

/** A route for simple exchanges only. */
function simpleRoute(handle: (exchange: SimpleExchange) => void | Promise<void>): Route {
  return {
    method: 'POST',
    path: '/plain',
    handle: (exchange) => (isSimpleExchange(exchange) ? handle(exchange) : exchange.fail(new Refusal(500))),
  };
}

test('a route can reply to a simple request synchronously, with frames that are already encoded', async () => {
  const route = simpleRoute((exchange) => {
    const body = exchange.jsonNow({ withDigest: true });
    expect(body).toMatchObject({ value: '早', text: '"早"', bytes: 5, digest: expect.stringMatching(/^[\w-]{43}$/) });
    exchange.releaseBody();
    expect(exchange.jsonNow({ withDigest: false })).toBeUndefined();
    const writer = exchange.openEventStream();
    expect(writer.writeLatin1(`data: ${Buffer.from('早').toString('latin1')}\n\n`)).toBe(true);
    writer.endLatin1('data: [DONE]\n\n');
  });
  const { client } = await acceptor({ routes: [route] });
  client.send(post('/plain', '"早"'));
  expect((await client.response()).body).toBe('data: 早\n\ndata: [DONE]\n\n');
});

test('a body that was parsed synchronously can still be read once', async () => {
  const route = simpleRoute(async (exchange) => {
    exchange.jsonNow({ withDigest: false });
    const { value, digest } = await exchange.readJson({ withDigest: true });
    exchange.json(200, { value, digest, again: await exchange.readJson().catch(() => 'not again') });
  });
  const { client } = await acceptor({ routes: [route] });
  client.send(post('/plain', '1'));
  const digest = createHash('sha256').update('1').digest('base64url');
  expect(JSON.parse((await client.response()).body)).toEqual({ value: 1, digest, again: 'not again' });
});

test('`jsonNow` throws for an invalid body', async () => {
  const { client } = await acceptor({
    routes: [simpleRoute((exchange) => void exchange.jsonNow({ withDigest: false }))],
  });
  client.send(post('/plain', '{"a'));
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'keep-alive' } });
});

test('`onGone` is called as soon as the client leaves, and an error it throws is observed', async () => {
  const { promise, resolve } = Promise.withResolvers<SimpleExchange>();
  const bug = new Error('a bug in the callback');
  const calls: boolean[] = [];
  const route = simpleRoute((exchange) => {
    exchange.onGone(() => calls.push(false));
    exchange.onGone(() => {
      calls.push(exchange.isGone);
      throw bug;
    });
    resolve(exchange);
  });
  const { client, next, server } = await acceptor({ routes: [route] });
  client.send(post('/plain', '1'));
  const exchange = await promise;
  expect(exchange.isGone).toBe(false);
  client.destroy();
  expect(await next()).toMatchObject({ status: 0, clientGone: true, error: bug });
  expect(calls).toEqual([true]);
  expect(exchange.gone.aborted).toBe(true);
  expect(server.inFlight).toBe(0);
});

test('a client that disconnects after a complete reply is not reported as gone', async () => {
  const { promise, resolve } = Promise.withResolvers<SimpleExchange>();
  const calls: string[] = [];
  const route = simpleRoute((exchange) => {
    exchange.onGone(() => calls.push('left'));
    exchange.json(200, 1);
    resolve(exchange);
  });
  const { client, next, server } = await acceptor({ routes: [route] });
  client.send(post('/plain', '1'));
  await client.response();
  await next();
  client.destroy();
  await expect.poll(() => server.connected).toBe(0);
  expect((await promise).isGone).toBe(false);
  expect(calls).toEqual([]);
});
