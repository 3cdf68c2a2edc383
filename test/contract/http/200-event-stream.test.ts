import { expect, test } from 'vitest';
import type { EventStreamWriter } from '../../../src/serving/http/exchange.ts';
import { eventually } from '../../eventually.ts';
import { type ManualClock, manualClock } from '../../clocks/manual-clock.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import {
  withAndWithoutAcceptor,
  envelopeCode,
  expectStamped,
  get,
  heldRoute,
  post,
  startHttpServer,
} from './http-server.ts';

/** A request whose reply is a stream that the test writes to. The slow-client timeout runs on the test's clock. */
async function openStream(request = post('/held', '{}')) {
  const held = heldRoute();
  const clock = manualClock();
  const testServer = await startHttpServer({ routes: [held.route], limits: { readerStallMs }, clock });
  const client = await RawClient.connect(testServer.port);
  client.send(request);
  const exchange = await held.taken;
  return { ...testServer, clock, client, exchange, writer: exchange.openEventStream() };
}

const readerStallMs = 1000;

/** Advances the clock until a client that does not read is disconnected. */
async function untilDisconnected({ clock, seen }: { clock: ManualClock; seen: readonly unknown[] }): Promise<void> {
  await eventually(() => {
    clock.advance(readerStallMs);
    expect(seen, 'the exchange has ended').toHaveLength(1);
  });
}

withAndWithoutAcceptor(() => {
  test('a stream has the headers of an event stream, and its frames arrive as written', async () => {
    const { client, writer, exchange, next } = await openStream();
    expect(writer.write('data: one\n\n')).toBe(true);
    await client.received('data: one\n\n');
    writer.write('data: 早\n\n');
    writer.end('data: [DONE]\n\n');
    const response = await client.response();
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(response.headers['cache-control']).toBe('no-cache');
    expect(response.headers['x-accel-buffering']).toBe('no');
    expectStamped(response);
    expect(response.body).toBe('data: one\n\ndata: 早\n\ndata: [DONE]\n\n');
    expect(await next()).toMatchObject({ status: 200, clientGone: false, error: undefined });
    expect(exchange.gone.aborted).toBe(false);
    client.send(get('/v1/models'));
    expect((await client.response()).status).toBe(200);
  });

  test('a stream without frames is a complete reply', async () => {
    const { client, writer } = await openStream();
    writer.write('');
    writer.end();
    expect(await client.response()).toMatchObject({ status: 200, body: '' });
  });

  test('an error before the first frame keeps its own status', async () => {
    const { client, writer, exchange } = await openStream();
    exchange.fail(new Error('too early'));
    const response = await client.response();
    expect(response.status).toBe(500);
    expect(envelopeCode(response)).toBe('other');
    expect(writer.write('data: one\n\n')).toBe(false);
    writer.end('data: [DONE]\n\n');
    client.send(get('/v1/models'));
    expect((await client.response()).status).toBe(200);
  });

  test('an error after the first frame ends the stream without its last chunk, so that the client notices', async () => {
    const { client, writer, exchange, next } = await openStream();
    writer.write('data: one\n\n');
    await client.received('data: one\n\n');
    const error = new Error('too late');
    exchange.fail(error);
    expect(await client.rest()).not.toContain('\r\n0\r\n\r\n');
    expect(await next()).toMatchObject({ status: 200, error, clientGone: false });
    expect(exchange.gone.aborted).toBe(true);
    expect(writer.write('data: two\n\n')).toBe(false);
  });

  test('over HTTP/1.0 a stream ends with the connection, and an aborted one with a reset', async () => {
    const request = 'POST /held HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    const complete = await openStream(request);
    complete.writer.write('data: one\n\n');
    complete.writer.end('data: [DONE]\n\n');
    expect((await complete.client.response()).body).toBe('data: one\n\ndata: [DONE]\n\n');
    const aborted = await openStream(request);
    aborted.writer.write('data: one\n\n');
    await aborted.client.received('data: one\n\n');
    aborted.writer.destroy();
    await aborted.client.rest();
    expect((aborted.client.error as NodeJS.ErrnoException).code).toBe('ECONNRESET');
  });

  /** More than the kernel buffers for a client that does not read. */
  const flood = `data: ${'a'.repeat(12_000_000)}\n\n`;

  function drainOf(writer: EventStreamWriter): Promise<void> {
    return new Promise((resolve) => writer.onDrain(resolve));
  }

  test('the writer waits for a slow client, and continues when the client has caught up', async () => {
    const { client, writer, exchange } = await openStream();
    client.socket.pause();
    const drained = drainOf(writer);
    expect(writer.write(flood)).toBe(false);
    client.socket.resume();
    await drained;
    const drainedAgain = drainOf(writer);
    expect(writer.write(flood)).toBe(false);
    await drainedAgain;
    writer.end('data: [DONE]\n\n');
    expect((await client.response()).body).toBe(`${flood}${flood}data: [DONE]\n\n`);
    expect(exchange.gone.aborted).toBe(false);
  });

  test('an error in a drain callback ends its own stream and no other request', async () => {
    const { client, writer, next, port } = await openStream();
    const bug = new Error('a bug in the callback');
    client.socket.pause();
    writer.onDrain(() => {
      throw bug;
    });
    writer.write(flood);
    client.socket.resume();
    expect(await next()).toMatchObject({ status: 200, error: bug, clientGone: false });
    expect((await rawExchange(port, get('/v1/models'))).status).toBe(200);
  });

  test('a client that stops reading is disconnected', async () => {
    const stream = await openStream();
    stream.client.socket.pause();
    stream.writer.write(flood);
    await untilDisconnected(stream);
    expect(await stream.next()).toMatchObject({ status: 200, clientGone: true });
    expect(stream.exchange.gone.aborted).toBe(true);
  });

  test('a client that stops before the last bytes is disconnected', async () => {
    const stream = await openStream();
    stream.client.socket.pause();
    stream.writer.end(flood);
    await untilDisconnected(stream);
    expect(await stream.next()).toMatchObject({ status: 200, clientGone: true });
  });

  test('a client that stops reading a reply without streaming is disconnected', async () => {
    const stream = await openStream();
    stream.client.socket.pause();
    stream.exchange.send(200, 'text/plain', flood);
    await untilDisconnected(stream);
    expect(await stream.next()).toMatchObject({ status: 200, clientGone: true });
  });

  test('a client that has read everything is not disconnected while the stream is silent', async () => {
    const { client, clock, writer, exchange, port } = await openStream();
    const drained = drainOf(writer);
    expect(writer.write(flood)).toBe(false);
    await drained;
    clock.advance(100 * readerStallMs);
    // After this round trip the exchange would have received a disconnect.
    await rawExchange(port, get('/v1/models'));
    expect(exchange.gone.aborted).toBe(false);
    writer.end();
    expect((await client.response()).body).toBe(flood);
  });
});
