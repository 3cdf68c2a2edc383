import { afterEach, expect, test } from 'vitest';
import { Pressure } from '../../../src/serving/http/load/pressure.ts';
import { RawClient } from '../../raw-client.ts';
import { get, post, startHttpServer, type TestHttpServer } from './http-server.ts';

/** An overload controller whose inputs the test sets. */
function testPressure() {
  const sources = { memory: 0, bytes: 0 };
  const pressure = new Pressure({
    memoryShare: () => sources.memory,
    queue: { bytesMax: () => 1000, queuedBytes: () => sources.bytes },
  });
  const set = (next: Partial<typeof sources>): void => {
    Object.assign(sources, next);
    pressure.check();
  };
  return { pressure, set };
}

const clients: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

async function connect({ port }: Pick<TestHttpServer, 'port'>): Promise<RawClient> {
  const client = await RawClient.connect(port);
  clients.push(client);
  return client;
}

async function expectServed(client: RawClient): Promise<void> {
  client.send(get('/v1/models'));
  expect((await client.response()).status).toBe(200);
}

test.each([
  [0.69, 'none'],
  [0.7, 'close-connections'],
  [0.8, 'pause-bodies'],
  [0.9, 'pause-connections'],
])('memory at %d sets the shed level %s', (memory, level) => {
  const { pressure, set } = testPressure();
  set({ memory });
  expect(pressure.level).toBe(level);
  set({ memory: 0 });
  expect(pressure.level).toBe('none');
});

test('queued bytes above half of their limit stop the reading of bodies', () => {
  const { pressure, set } = testPressure();
  set({ bytes: 500 });
  expect(pressure.level).toBe('none');
  set({ bytes: 501 });
  expect(pressure.level).toBe('pause-bodies');
});

test('at the first shed level, replies end their connection', async () => {
  const { pressure, set } = testPressure();
  const testServer = await startHttpServer({ pressure });
  const client = await connect(testServer);
  await expectServed(client);
  set({ memory: 0.7 });
  client.send(get('/v1/models'));
  expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await client.rest()).toBe('');
});

const bigBody = JSON.stringify('x'.repeat(8_000_000));

test('at the second shed level, bodies are not read until the level falls, and then all of them are', async () => {
  const { pressure, set } = testPressure();
  const testServer = await startHttpServer({ pressure, limits: { headersTimeoutMs: 8000, requestTimeoutMs: 8000 } });
  const idle = await connect(testServer);
  set({ memory: 0.8 });
  const waiting = await Promise.all(Array.from({ length: 2 }, () => connect(testServer)));
  for (const client of waiting) client.send(post('/echo', bigBody));
  await expect.poll(() => testServer.server.inFlight).toBe(2);
  await expectServed(idle);
  // This slow client gets its 408 after the same timeout, so the timeout of the others has passed too.
  const slow = await connect(testServer);
  slow.send('POST /echo HTTP/1.1\r\n');
  expect((await slow.response()).status).toBe(408);
  expect(testServer.server.inFlight).toBe(2);
  expect(waiting.reduce((sum, { socket }) => sum + socket.writableLength, 0)).toBeGreaterThan(0);
  set({ memory: 0.1 });
  pressure.check();
  for (const client of waiting) expect(await client.response()).toMatchObject({ status: 200 });
  expect(testServer.server.inFlight).toBe(0);
});

test('a client that does not send its body after that gets a 408', async () => {
  const { pressure, set } = testPressure();
  const testServer = await startHttpServer({ pressure, limits: { requestTimeoutMs: 1000 } });
  set({ memory: 0.8 });
  const client = await connect(testServer);
  client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
  await expect.poll(() => testServer.server.inFlight).toBe(1);
  set({ memory: 0 });
  expect((await client.response()).status).toBe(408);
});

test('at the third shed level, new connections are not read; all are served within four checks after the level falls', async () => {
  const { pressure, set } = testPressure();
  const testServer = await startHttpServer({ pressure });
  const old = await connect(testServer);
  await expectServed(old);
  set({ memory: 0.9 });
  const held = await Promise.all(Array.from({ length: 200 }, () => connect(testServer)));
  for (const client of held) client.send(get('/v1/models'));
  await expect.poll(() => testServer.server.connected).toBe(201);
  expect(testServer.server.inFlight).toBe(0);
  set({ memory: 0.89 });
  expect((await held[0]!.response()).status).toBe(200);
  for (let checks = 0; checks < 3; checks += 1) pressure.check();
  for (const client of held.slice(1)) expect((await client.response()).status).toBe(200);
});

test('connections above the limit wait until others close, and none is dropped', async () => {
  const testServer = await startHttpServer({ limits: { connectionsMax: 2 } });
  const all = await Promise.all(Array.from({ length: 6 }, () => connect(testServer)));
  for (const client of all) client.send(get('/v1/models', 'Connection: close\r\n'));
  for (const client of all) {
    expect((await client.response()).status).toBe(200);
    client.destroy();
  }
});

test('a client above the socket limit gets a 503, and the others are served', async () => {
  let full = 0;
  const testServer = await startHttpServer({ limits: { socketsMax: 2 }, onFull: () => void (full += 1) });
  const [one, other] = [await connect(testServer), await connect(testServer)];
  await expect.poll(() => testServer.server.connected).toBe(2);
  for (let round = 0; round < 3; round += 1) {
    const third = await connect(testServer);
    third.send(get('/v1/models'));
    const { status, headers, body } = await third.response();
    expect([status, headers['connection'], JSON.parse(body).error.code]).toEqual([503, 'close', 'overloaded']);
    expect(headers).not.toHaveProperty('retry-after');
    third.destroy();
  }
  expect(full).toBe(3);
  await expectServed(one);
  other.destroy();
  await expect.poll(() => testServer.server.connected).toBe(1);
  await expectServed(await connect(testServer));
});

test('connections that are held when the drain starts are served', async () => {
  const { pressure, set } = testPressure();
  // The server must already be reading the body when the level rises. The acceptor would start to read it again.
  const testServer = await startHttpServer({ pressure, hasAcceptor: false });
  const running = await connect(testServer);
  running.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n');
  await expect.poll(() => testServer.server.inFlight).toBe(1);
  set({ memory: 0.9 });
  const client = await connect(testServer);
  client.send(get('/v1/models'));
  await expect.poll(() => testServer.server.connected).toBe(2);
  const drained = testServer.server.drain();
  expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  running.send('{}');
  expect((await running.response()).status).toBe(200);
  await drained;
});
