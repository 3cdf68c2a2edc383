import { expect, test } from 'vitest';
import { manualClock } from '../../clocks/manual-clock.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { withAndWithoutAcceptor, get, heldRoute, post, Refusal, startHttpServer } from './http-server.ts';

withAndWithoutAcceptor(() => {
  test('a drain waits for running replies, serves one more request per open connection, and accepts no new connections', async () => {
    const held = heldRoute();
    const { port, server } = await startHttpServer({ routes: [held.route] });
    const busy = await RawClient.connect(port);
    busy.send(post('/held', '{}'));
    const writer = (await held.taken).openEventStream();
    writer.write('data: one\n\n');
    const idle = await RawClient.connect(port);
    idle.send(get('/v1/models'));
    await idle.response();

    const quiet = await RawClient.connect(port);
    quiet.send(get('/v1/models'));
    await quiet.response();

    let isDrained = false;
    const drained = server.drain().then(() => {
      isDrained = true;
    });
    idle.send(get('/v1/models'));
    expect(await idle.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await idle.rest()).toBe('');
    await expect(rawExchange(port, get('/v1/models'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(isDrained).toBe(false);
    expect(server.inFlight).toBe(1);

    writer.end('data: [DONE]\n\n');
    await drained;
    expect((await busy.response()).body).toBe('data: one\n\ndata: [DONE]\n\n');
    expect(await busy.rest()).toBe('');
    expect(await quiet.rest()).toBe('');
  });

  test('a reply that starts during a drain has Connection: close', async () => {
    const held = heldRoute();
    const { port, server } = await startHttpServer({ routes: [held.route] });
    const client = await RawClient.connect(port);
    client.send(post('/held', '{}'));
    const exchange = await held.taken;
    const drained = server.drain();
    exchange.json(200, 'last');
    expect((await client.response()).headers.connection).toBe('close');
    expect(await client.rest()).toBe('');
    await drained;
  });

  test('a client whose reply started before the drain may send one more request after it', async () => {
    const held = [heldRoute(), heldRoute()] as const;
    const second = { ...held[1].route, path: '/second' };
    const { port, server } = await startHttpServer({ routes: [held[0].route, second] });
    const [client, other] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    client.send(post('/held', '{}'));
    other.send(post('/second', '{}'));
    const writers = [(await held[0].taken).openEventStream(), (await held[1].taken).openEventStream()] as const;
    for (const writer of writers) writer.write('data: one\n\n');
    await client.received('data: one');
    const drained = server.drain();
    writers[0].end('data: [DONE]\n\n');
    expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
    client.send(post('/echo', '1'));
    expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await client.rest()).toBe('');
    expect(client.error).toBeUndefined();
    writers[1].end();
    other.destroy();
    await drained;
  });

  test('a drain without running requests waits for requests that may be on their way', async () => {
    const clock = manualClock();
    const { port, server } = await startHttpServer({ clock });
    const [fresh, kept, quiet] = await Promise.all([0, 1, 2].map(() => RawClient.connect(port)));
    for (const client of [kept!, quiet!]) {
      client.send(post('/echo', '1'));
      await client.response();
    }
    await expect.poll(() => server.connected).toBe(3);
    const drained = server.drain();
    for (const client of [kept!, fresh!]) {
      client.send(post('/echo', '1'));
      expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    }
    await expect.poll(() => clock.pending, { message: 'the drain waits for the last client' }).toBe(1);
    clock.advance(60_000);
    await drained;
    for (const client of [fresh!, kept!, quiet!]) {
      expect(await client.rest()).toBe('');
      expect(client.error).toBeUndefined();
      client.destroy();
    }
  });

  test('a drain does not wait for an idle client that leaves', async () => {
    const { port, server } = await startHttpServer({ clock: manualClock() });
    const client = await RawClient.connect(port);
    client.send(post('/echo', '1'));
    await client.response();
    const drained = server.drain();
    client.destroy();
    await drained;
    expect(server.connected).toBe(0);
  });

  test('`giveUp` ends the wait for requests that may be on their way', async () => {
    const { port, server } = await startHttpServer({ clock: manualClock() });
    const client = await RawClient.connect(port);
    client.send(post('/echo', '1'));
    await client.response();
    const drained = server.drain();
    server.giveUp(new Refusal(503));
    await drained;
    expect(await client.rest()).toBe('');
  });

  test('an idle server drains immediately, also a second time', async () => {
    const { port, server } = await startHttpServer();
    await server.drain();
    await server.drain();
    await expect(rawExchange(port, get('/v1/models'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a client that stopped reading is disconnected; clients that read or are idle are not', async () => {
    const held = [heldRoute(), heldRoute()] as const;
    const second = { ...held[1].route, path: '/second' };
    const { port, server } = await startHttpServer({ routes: [held[0].route, second] });
    const [stopped, reading, idle] = await Promise.all([0, 1, 2].map(() => RawClient.connect(port)));
    stopped!.socket.pause();
    stopped!.send(post('/held', '{}'));
    reading!.send(post('/second', '{}'));
    idle!.send(get('/v1/models'));
    await idle!.response();
    const writers = [(await held[0].taken).openEventStream(), (await held[1].taken).openEventStream()] as const;
    while (writers[0].write('x'.repeat(100_000)));
    // After this round trip the kernel buffers are full.
    await rawExchange(port, get('/v1/models'));
    writers[1].write('data: one\n\n');
    await reading!.received('data: one');
    server.noteReaders();
    for (const writer of writers) writer.end('data: last\n\n');
    server.cutStoppedReaders();
    expect((await reading!.response()).body).toContain('data: last');
    await expect.poll(() => server.inFlight).toBe(0);
    idle!.send(get('/v1/models'));
    expect((await idle!.response()).status).toBe(200);
    for (const client of [stopped, reading, idle]) client!.destroy();
  });

  test('`giveUp` rejects requests without a reply, also in the middle of a body, and keeps started replies', async () => {
    const held = heldRoute();
    const { port, server } = await startHttpServer({ routes: [held.route] });
    const streaming = await RawClient.connect(port);
    streaming.send(post('/held', '{}'));
    const writer = (await held.taken).openEventStream();
    writer.write('data: one\n\n');
    const sending = await RawClient.connect(port);
    sending.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    await expect.poll(() => server.inFlight).toBe(2);
    const drained = server.drain();
    server.giveUp(new Refusal(503));
    expect(await sending.response()).toMatchObject({ status: 503, headers: { connection: 'close' } });
    writer.end('data: last\n\n');
    expect((await streaming.response()).body).toBe('data: one\n\ndata: last\n\n');
    await drained;
  });

  test('`destroy` aborts running requests', async () => {
    const held = heldRoute();
    const { port, server } = await startHttpServer({ routes: [held.route] });
    const client = await RawClient.connect(port);
    client.send(post('/held', '{}'));
    const exchange = await held.taken;
    const drained = server.drain();
    server.destroy();
    await drained;
    expect(exchange.gone.aborted).toBe(true);
    expect(await client.rest()).toBe('');
  });

  test('`listen` rejects if the address is in use', async () => {
    const { port, server } = await startHttpServer();
    const second = await startHttpServer();
    await second.server.drain();
    await expect(second.server.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(server.inFlight).toBe(0);
  });
});
