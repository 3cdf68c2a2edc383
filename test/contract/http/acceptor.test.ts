import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../../src/core/clock.ts';
import { isSimpleExchange, type SimpleExchange } from '../../../src/http/exchange.ts';
import { HttpFault } from '../../../src/http/fault.ts';
import type { HttpLimits } from '../../../src/http/limits.ts';
import type { Route } from '../../../src/http/server.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { get, heldRoute, post, Refusal, startHttpServer } from './http-server.ts';

/** The acceptor looks after its connections when a test says so, however slow the machine is. */
beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

/** Longer than a request may take to be plain, and shorter than an idle connection is kept. */
const twoLooksMs = 2500;

/** A floor, a client of it, and what reaches Node's server. */
async function acceptor(
  options: { routes?: readonly Route[]; limits?: Partial<HttpLimits>; clock?: Partial<Clock> } = {},
) {
  const floor = await startHttpServer(options);
  const toNode = vi.fn((request: { url?: string }) => request.url);
  floor.server.node.on('request', toNode);
  const sockets: Socket[] = [];
  floor.server.node.prependListener('connection', (socket) => sockets.push(socket));
  const client = await RawClient.connect(floor.port);
  const handedOver = (): unknown[] => toNode.mock.results.map(({ value }) => value);
  return { ...floor, client, handedOver, sockets: () => sockets };
}

test('of requests that take long each waits for its turn, and one whose client leaves meanwhile is never begun', async () => {
  let nowMs = 0;
  const begun: string[] = [];
  const slow: Route = {
    method: 'POST',
    path: '/slow',
    handle(exchange) {
      nowMs += 1;
      begun.push(exchange.id);
      exchange.json(200, {});
    },
  };
  const { port, server, seen, sockets } = await acceptor({ routes: [slow], clock: { elapsed: () => nowMs } });
  const clients = [await RawClient.connect(port), await RawClient.connect(port)];
  await expect.poll(() => sockets().length, { message: 'connections that the server has accepted' }).toBe(3);
  // Requests wait for a turn or two while clients connect.
  for (let turns = 0; turns < 3; turns += 1) await setImmediate();
  const [first, second, third] = sockets();
  for (const socket of [first, second, third]) socket?.emit('data', Buffer.from(post('/slow', '{}')));
  expect(begun).toEqual(['request-000000001']);
  second?.destroy();
  await expect.poll(() => seen.length, { message: 'requests that are over' }).toBe(3);
  expect(begun).toEqual(['request-000000001', 'request-000000003']);
  expect(seen.filter(({ clientGone }) => clientGone).map(({ id }) => id)).toEqual(['request-000000002']);
  expect(server.inFlight).toBe(0);
  for (const client of clients) client.destroy();
});

/** A request of which the last bytes are missing, and those bytes. */
function cutShort(request: string, missing: number): [string, string] {
  return [request.slice(0, -missing), request.slice(-missing)];
}

const repliesAlike: readonly Route[] = [
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
  'what the acceptor answers to %s is what Node’s server would send, byte for byte',
  async (path) => {
    const sent: string[] = [];
    for (const hasAcceptor of [true, false]) {
      const { port, server } = await startHttpServer({ routes: repliesAlike, hasAcceptor });
      const toNode = vi.fn();
      server.node.on('request', toNode);
      const { raw } = await rawExchange(port, post(path, '{"a":1}'));
      expect(raw).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
      sent.push(raw.replace(/\r\nDate: [^\r]*/, ''));
      expect(toNode).toHaveBeenCalledTimes(hasAcceptor ? 0 : 1);
    }
    // The route may answer before Node knows that it has the whole body, and then ends the connection.
    expect(sent[0]).toBe(sent[1]?.replace('Connection: close', 'Connection: keep-alive\r\nKeep-Alive: timeout=75'));
  },
);

test('one connection serves simple requests one after the other, until the first that is not plain', async () => {
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

test('a body that comes behind its head is waited for', async () => {
  const { client, handedOver, server } = await acceptor();
  const [head, body] = cutShort(post('/echo', '{"a":[1,2]}'), 11);
  client.send(head);
  await expect.poll(() => server.inFlight).toBe(1);
  client.send(body.slice(0, 5));
  client.send(body.slice(5));
  expect(JSON.parse((await client.response()).body)).toMatchObject({ value: { a: [1, 2] }, bytes: 11 });
  expect(handedOver()).toEqual([]);
  expect(server.inFlight).toBe(0);
});

test('a request that stops in the middle of its head goes on where it stopped', async () => {
  const { client, port } = await acceptor();
  const [start, rest] = cutShort(post('/echo', '{"a":1}'), 30);
  client.send(start);
  await rawExchange(port, post('/echo', '1'));
  client.send(rest);
  expect(JSON.parse((await client.response()).body).value).toEqual({ a: 1 });
});

test('a request that stops in the middle of its body is handed over, and goes on there', async () => {
  const { client, handedOver, server } = await acceptor();
  const [start, rest] = cutShort(post('/echo', '{"a":1}'), 3);
  client.send(start);
  await expect.poll(() => server.inFlight).toBe(1);
  expect(handedOver()).toEqual([]);
  vi.advanceTimersByTime(twoLooksMs);
  expect(handedOver()).toEqual(['/echo']);
  expect(server.inFlight).toBe(1);
  client.send(rest);
  expect(JSON.parse((await client.response()).body).value).toEqual({ a: 1 });
  expect(server.inFlight).toBe(0);
});

test('a large body is handed over at once', async () => {
  const { client, handedOver } = await acceptor();
  client.send(post('/echo', JSON.stringify('x'.repeat(200_000))));
  expect((await client.response()).status).toBe(200);
  expect(handedOver()).toEqual(['/echo']);
});

test('what comes during a reply is answered after it, by whom it is for', async () => {
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

test('what comes during a reply is not read without end, and all of it is answered', async () => {
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

test('a simple request that was too much to read ahead is answered, and the connection is read on', async () => {
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

test('a connection that is idle after a simple request is closed without a word', async () => {
  const { client, server, next } = await acceptor();
  client.send(post('/echo', '1'));
  expect((await client.response()).status).toBe(200);
  await next();
  vi.advanceTimersByTime(74_000);
  expect(server.connected).toBe(1);
  vi.advanceTimersByTime(twoLooksMs);
  expect(await client.rest()).toBe('');
  await expect.poll(() => server.connected).toBe(0);
});

test('an answer that takes longer than idle connections are kept is not cut off', async () => {
  const held = heldRoute();
  const { client } = await acceptor({ routes: [held.route] });
  client.send(post('/held', '{}'));
  const exchange = await held.taken;
  vi.advanceTimersByTime(200_000);
  exchange.json(200, 'late');
  expect((await client.response()).body).toBe('"late"');
});

test('a connection that says nothing is left to Node’s server, which counts the seconds', async () => {
  const { client, server, next } = await acceptor({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 500 } });
  await expect.poll(() => server.connected).toBe(1);
  vi.advanceTimersByTime(twoLooksMs);
  expect((await client.response()).status).toBe(408);
  expect(await next()).toMatchObject({ status: 408 });
});

test('a client that leaves before its body was here is observed once', async () => {
  const { client, server, next, seen } = await acceptor();
  client.send(cutShort(post('/echo', '{"a":1}'), 3)[0]);
  await expect.poll(() => server.inFlight).toBe(1);
  client.socket.resetAndDestroy();
  expect(await next()).toMatchObject({ method: 'POST', path: '/echo', status: 0, clientGone: true });
  expect(server.inFlight).toBe(0);
  expect(seen).toHaveLength(1);
});

test('a client that ends its side before its body was here is told so', async () => {
  const { client, next } = await acceptor();
  client.send(cutShort(post('/echo', '{"a":1}'), 3)[0]);
  client.finish();
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  expect(await next()).toMatchObject({ path: '/echo', status: 400 });
});

test('a client that says nothing and ends its side gets the end of ours', async () => {
  const { client, seen } = await acceptor();
  client.finish();
  expect(await client.rest()).toBe('');
  expect(seen).toEqual([]);
});

test('a request that was arriving when the server began to drain is answered, and its connection ends', async () => {
  const { client, server } = await acceptor();
  const [start, rest] = cutShort(post('/echo', '{"a":1}'), 3);
  client.send(start);
  await expect.poll(() => server.inFlight).toBe(1);
  const drained = server.drain();
  client.send(rest);
  expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  await drained;
});

/** A client that has sent a second request, which the server has read, while the first waits for its answer. */
async function withMoreBehind() {
  const held = heldRoute();
  const started = await acceptor({ routes: [held.route] });
  started.client.send(post('/held', '{}'));
  const exchange = await held.taken;
  started.client.send(get('/v1/models'));
  const [socket] = started.sockets();
  await expect.poll(() => socket?.bytesRead).toBe(post('/held', '{}').length + get('/v1/models').length);
  return { ...started, exchange };
}

test('what came behind a request is answered too when the server drains meanwhile', async () => {
  const { client, exchange, server } = await withMoreBehind();
  const drained = server.drain();
  exchange.json(200, 'first');
  expect(await client.response()).toMatchObject({ body: '"first"', headers: { connection: 'keep-alive' } });
  expect(await client.response()).toMatchObject({ body: '{"host":"a"}', headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  await drained;
});

test('what came behind a request that ended the connection is never looked at', async () => {
  const { client, exchange, handedOver, server } = await withMoreBehind();
  exchange.fail(new HttpFault('bad-request'));
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
  vi.advanceTimersByTime(twoLooksMs);
  client.finish();
  await expect.poll(() => server.connected).toBe(0);
  expect(handedOver()).toEqual([]);
});

test('a simple connection that is idle ends with the drain', async () => {
  const { client, server } = await acceptor();
  client.send(post('/echo', '1'));
  await client.response();
  await server.drain();
  expect(await client.rest()).toBe('');
  expect(server.connected).toBe(0);
});

/** A route for simple exchanges only. */
function plainly(handle: (exchange: SimpleExchange) => void | Promise<void>): Route {
  return {
    method: 'POST',
    path: '/plain',
    handle: (exchange) => (isSimpleExchange(exchange) ? handle(exchange) : exchange.fail(new Refusal(500))),
  };
}

test('a simple request can be answered before anything else happens, with frames that are bytes already', async () => {
  const route = plainly((exchange) => {
    const body = exchange.jsonNow({ withDigest: true });
    expect(body).toMatchObject({ value: '早', text: '"早"', bytes: 5, digest: expect.stringMatching(/^[\w-]{43}$/) });
    exchange.letBodyGo();
    expect(exchange.jsonNow({ withDigest: false })).toBeUndefined();
    const writer = exchange.openEventStream();
    expect(writer.writeLatin1(`data: ${Buffer.from('早').toString('latin1')}\n\n`)).toBe(true);
    writer.endLatin1('data: [DONE]\n\n');
  });
  const { client } = await acceptor({ routes: [route] });
  client.send(post('/plain', '"早"'));
  expect((await client.response()).body).toBe('data: 早\n\ndata: [DONE]\n\n');
});

test('a body that was looked at can still be read, once', async () => {
  const route = plainly(async (exchange) => {
    exchange.jsonNow({ withDigest: false });
    const { value, digest } = await exchange.readJson({ withDigest: true });
    exchange.json(200, { value, digest, again: await exchange.readJson().catch(() => 'not again') });
  });
  const { client } = await acceptor({ routes: [route] });
  client.send(post('/plain', '1'));
  const digest = createHash('sha256').update('1').digest('base64url');
  expect(JSON.parse((await client.response()).body)).toEqual({ value: 1, digest, again: 'not again' });
});

test('what is wrong with a body is thrown at once', async () => {
  const { client } = await acceptor({ routes: [plainly((exchange) => void exchange.jsonNow({ withDigest: false }))] });
  client.send(post('/plain', '{"a'));
  expect(await client.response()).toMatchObject({ status: 400, headers: { connection: 'keep-alive' } });
});

test('a route hears at once that its client has left; what it throws then is observed', async () => {
  const { promise, resolve } = Promise.withResolvers<SimpleExchange>();
  const mistake = new Error('a mistake of ours');
  const heard: boolean[] = [];
  const route = plainly((exchange) => {
    exchange.onGone(() => heard.push(false));
    exchange.onGone(() => {
      heard.push(exchange.isGone);
      throw mistake;
    });
    resolve(exchange);
  });
  const { client, next, server } = await acceptor({ routes: [route] });
  client.send(post('/plain', '1'));
  const exchange = await promise;
  expect(exchange.isGone).toBe(false);
  client.destroy();
  expect(await next()).toMatchObject({ status: 0, clientGone: true, error: mistake });
  expect(heard).toEqual([true]);
  expect(exchange.gone.aborted).toBe(true);
  expect(server.inFlight).toBe(0);
});

test('a client that got its whole answer has not left', async () => {
  const { promise, resolve } = Promise.withResolvers<SimpleExchange>();
  const heard: string[] = [];
  const route = plainly((exchange) => {
    exchange.onGone(() => heard.push('left'));
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
  expect(heard).toEqual([]);
});
