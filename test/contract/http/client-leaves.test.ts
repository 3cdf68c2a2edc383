import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Exchange } from '../../../src/serving/http/exchange.ts';
import { RawClient } from '../../raw-client.ts';
import { withAndWithoutAcceptor, expectStamped, get, heldRoute, post, startHttpServer } from './http-server.ts';

async function held(request = post('/held', '{}')) {
  const { route, taken } = heldRoute();
  const testServer = await startHttpServer({ routes: [route] });
  const client = await RawClient.connect(testServer.port);
  client.send(request);
  return { ...testServer, client, exchange: await taken };
}

/** Resolves when the exchange detects the disconnect, without a read or a write on it. */
async function disconnectDetected(gone: AbortSignal): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort');
}

withAndWithoutAcceptor(() => {
  test('the server detects a client that leaves before the reply', async () => {
    const { client, exchange, next, server } = await held();
    client.destroy();
    await disconnectDetected(exchange.gone);
    expect(await next()).toMatchObject({ status: 0, clientGone: true });
    expect(server.inFlight).toBe(0);
    exchange.json(200, 'unread');
  });

  test('the server detects a client that leaves a silent stream', async () => {
    const { client, exchange, next } = await held();
    exchange.openEventStream().write('data: one\n\n');
    await client.received('data: one\n\n');
    client.destroy();
    await disconnectDetected(exchange.gone);
    expect(await next()).toMatchObject({ status: 200, clientGone: true });
  });

  test('the server detects a client that resets the connection', async () => {
    const { client, exchange, next } = await held();
    client.socket.resetAndDestroy();
    await disconnectDetected(exchange.gone);
    expect(await next()).toMatchObject({ status: 0, clientGone: true });
  });

  test('a signal read after the client left is already aborted', async () => {
    const { client, exchange, next } = await held();
    client.destroy();
    await next();
    expect(exchange.gone.aborted).toBe(true);
  });

  test('a client that closed only its sending side gets the complete reply', async () => {
    const { client, exchange } = await held();
    client.finish();
    await client.received('HT');
    exchange.json(200, 'first');
    const response = await client.response();
    expect(response.raw).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response.body).toBe('"first"');
    expect(response.headers.connection).toBe('close');
    expectStamped(response);
    expect(exchange.gone.aborted).toBe(false);
  });

  test('a client that closed only its sending side gets the complete stream', async () => {
    const { client, exchange } = await held();
    const writer = exchange.openEventStream();
    writer.write('data: one\n\n');
    client.finish();
    await client.received(':\n\n');
    writer.write('data: two\n\n');
    writer.end('data: [DONE]\n\n');
    const { body } = await client.response();
    expect(body.replaceAll(':\n\n', '')).toBe('data: one\n\ndata: two\n\ndata: [DONE]\n\n');
    expect(await client.rest()).toBe('');
  });

  test('all requests before the end of the sending side get a reply', async () => {
    const { client, exchange } = await held(post('/held', '{}') + get('/v1/models') + get('/v1/nope'));
    client.finish();
    await client.received('H');
    exchange.json(200, 'first');
    expect((await client.response()).body).toBe('"first"');
    expect((await client.response()).status).toBe(200);
    expect((await client.response()).status).toBe(404);
    expect(await client.rest()).toBe('');
  });

  const halfABody = 'POST /late HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';

  test('a client that leaves in the middle of its body gets no reply', async () => {
    const taken = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<unknown>();
    const handle = async (exchange: Exchange): Promise<void> => {
      taken.resolve();
      outcome.resolve(await exchange.readJson().catch((error: unknown) => error));
    };
    const { port, next } = await startHttpServer({ routes: [{ method: 'POST', path: '/late', handle }] });
    const client = await RawClient.connect(port);
    client.send(halfABody);
    await taken.promise;
    client.socket.resetAndDestroy();
    expect(await next()).toMatchObject({ status: 0, clientGone: true });
    expect(await outcome.promise).toMatchObject({ kind: 'bad-request' });
  });

  test('a route that reads the body after the client left gets an error', async () => {
    const taken = Promise.withResolvers<Exchange>();
    const route = { method: 'POST', path: '/late', handle: taken.resolve } as const;
    const { port, next } = await startHttpServer({ routes: [route] });
    const client = await RawClient.connect(port);
    client.send(halfABody);
    const exchange = await taken.promise;
    client.socket.resetAndDestroy();
    await next();
    await expect(exchange.readJson()).rejects.toMatchObject({ kind: 'bad-request' });
  });
});
