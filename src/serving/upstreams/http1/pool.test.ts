import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import {
  fakeProvider,
  type FakeProvider,
  type FakeProviderOptions,
  gate,
  json,
  raw,
  type ScriptedReply,
  type ReplyWriter,
  sse,
} from '../../../../test/fakes/fake-provider.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { TransportFault } from './transport-fault.ts';
import type { IdleOptions } from './idle-connections.ts';
import { type HttpPool, httpPool, type SentRequest } from './pool.ts';
import { headerLines, requestText } from './request-text.ts';
import type { ResponseHead } from './response-head.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

async function provide(options?: FakeProviderOptions): Promise<FakeProvider> {
  const provider = await fakeProvider(options);
  opened.push(provider);
  return provider;
}

/** Uses a stopped clock, so that no connection times out or expires. */
function poolFor(origin: string, options: Partial<IdleOptions> = {}): HttpPool {
  const pool = httpPool({ origin: new URL(origin), clock: manualClock(), connectTimeoutMs: 2000, ...options });
  opened.push(pool);
  return pool;
}

interface Outcome {
  readonly status: number | undefined;
  readonly body: string;
  readonly fault: TransportFault | undefined;
}

/** Requests `/x` and resolves when the exchange has ended. */
function sendRequest(
  pool: HttpPool,
  use: (exchange: SentRequest, seen: { body: string }) => void = () => {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const seen = { head: undefined as ResponseHead | undefined, body: '' };
    const done = (fault?: TransportFault): void => resolve({ status: seen.head?.status, body: seen.body, fault });
    const text = requestText('GET', { host: 'x', target: '/x' }, headerLines({}), undefined);
    const exchange = pool.send(text, {
      head: (head) => {
        seen.head = head;
      },
      data: (bytes) => {
        seen.body += bytes.toString();
        use(exchange, seen);
      },
      end: () => done(),
      fail: done,
    });
  });
}

/** Returns the socket that a function connects. */
async function socketOf(connects: () => Promise<unknown>): Promise<Socket> {
  const made: Socket[] = [];
  const note = (message: unknown): void => void made.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  await connects();
  unsubscribe('net.client.socket', note);
  return made[0]!;
}

const ok: ScriptedReply = json(200, { ok: true });

describe('a pool', () => {
  test('uses one connection for consecutive exchanges', async () => {
    const provider = await provide();
    provider.respond('GET /x', ok, sse(['a', 'b']), ok);
    const pool = poolFor(provider.url);
    expect(await sendRequest(pool)).toEqual({ status: 200, body: '{"ok":true}', fault: undefined });
    expect(await sendRequest(pool)).toMatchObject({ body: 'data: a\n\ndata: b\n\n' });
    expect(await sendRequest(pool)).toMatchObject({ status: 200 });
    expect(provider.connections.accepted).toBe(1);
  });

  test('opens another connection for a concurrent exchange', async () => {
    const provider = await provide();
    const held = gate();
    provider.respond('GET /x', sse([held.opened]), ok);
    const pool = poolFor(provider.url);
    const first = sendRequest(pool);
    await provider.call('GET /x').received;
    await sendRequest(pool);
    held.open();
    await first;
    expect(provider.connections.accepted).toBe(2);
  });

  test('does not keep a connection that was destroyed, is announced to close, or has unread bytes', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond(
      'GET /x',
      json(200, {}, { connection: 'close' }),
      raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more'),
      raw('HTTP/1.0 200 OK\r\n\r\nall'),
      sse(['a', new Promise(() => {})]),
      ok,
    );
    expect(await sendRequest(pool)).toMatchObject({ body: '{}' });
    expect(await sendRequest(pool)).toMatchObject({ body: 'ok', fault: undefined });
    expect(await sendRequest(pool)).toMatchObject({ body: 'all', fault: undefined });
    void sendRequest(pool, (exchange) => exchange.destroy());
    await provider.call('GET /x', 3).aborted;
    await sendRequest(pool);
    expect(provider.connections.accepted).toBe(5);
  });

  test('does not touch a connection after its exchange has ended', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond('GET /x', ok);
    let over: SentRequest | undefined;
    await sendRequest(pool, (exchange) => {
      over = exchange;
    });
    const next = sendRequest(pool);
    over?.pause();
    over?.destroy();
    expect(await next).toMatchObject({ status: 200, fault: undefined });
  });

  test('closes an idle connection on which bytes arrive', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    const later = gate();
    provider.respond('GET /x', async (writer, call) => {
      await ok(writer, call);
      void later.opened.then(() => writer.raw('HTTP/1.1 200 OK\r\n'));
    });
    await sendRequest(pool);
    later.open();
    await provider.drained();
    expect(await sendRequest(pool)).toMatchObject({ status: 200 });
    expect(provider.connections.accepted).toBe(2);
  });

  test('closes connections after the idle timeout', async () => {
    const provider = await provide();
    provider.respond('GET /x', ok);
    const clock = manualClock();
    expect(await sendRequest(poolFor(provider.url, { clock, idleTimeoutMs: 10 }))).toMatchObject({ status: 200 });
    expect(provider.connections.open).toBe(1);
    clock.advance(10);
    await provider.drained();
  });

  test('respects the keep-alive timeout that a server announces', async () => {
    const provider = await provide();
    provider.respond('GET /x', json(200, {}, { 'keep-alive': 'timeout=1' }), ok);
    const pool = poolFor(provider.url);
    await sendRequest(pool);
    await sendRequest(pool);
    expect(provider.connections.accepted).toBe(2);
  });

  test('closes idle connections and keeps no new ones once closed, but lets a running exchange end', async () => {
    const provider = await provide();
    const held = gate();
    provider.respond('GET /x', sse(['a', held.opened, 'b']));
    const pool = poolFor(provider.url);
    const running = sendRequest(pool);
    await provider.call('GET /x').received;
    pool.close();
    held.open();
    expect(await running).toMatchObject({ body: 'data: a\n\ndata: b\n\n', fault: undefined });
    await provider.drained();
  });
});

describe('a kept connection that the server closed', () => {
  test.each([
    ['reset', (writer: ReplyWriter) => writer.reset()],
    ['closed', (writer: ReplyWriter) => writer.cut()],
  ])('is %s when a request is sent: the request is sent once more, on a new connection', async (_how, end) => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    const held = gate();
    provider.respond('GET /x', sse([held.opened]), ok, end, ok, ok);
    // Two connections are kept, and the other one may be closing too.
    const first = sendRequest(pool);
    await provider.call('GET /x').received;
    await sendRequest(pool);
    held.open();
    await first;
    expect(await sendRequest(pool)).toMatchObject({ status: 200, fault: undefined });
    expect(provider.calls.map(({ connection }) => connection)).toEqual([1, 2, 1, 3]);
    expect(await sendRequest(pool)).toMatchObject({ status: 200, fault: undefined });
  });

  test('calls `sent` once, even if the request is sent several times', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond('GET /x', ok, (writer) => writer.reset(), ok);
    await sendRequest(pool);
    let sentCount = 0;
    await new Promise<void>((end, fail) => {
      pool.send(requestText('GET', { host: 'x', target: '/x' }, headerLines({}), undefined), {
        sent: () => void (sentCount += 1),
        head: () => {},
        data: () => {},
        end,
        fail,
      });
    });
    expect([sentCount, provider.calls.length]).toEqual([1, 3]);
  });

  test('causes a fault if the new connection is closed too', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond('GET /x', ok, (writer) => writer.reset());
    await sendRequest(pool);
    expect(await sendRequest(pool)).toMatchObject({ fault: { reason: 'closed' } });
    expect(provider.calls.length).toBe(3);
  });

  test('after the resend window: the server may have begun to answer, so nothing is sent again', async () => {
    const provider = await provide();
    const clock = manualClock();
    const pool = poolFor(provider.url, { clock });
    const held = gate();
    provider.respond('GET /x', ok, (writer) => held.opened.then(() => writer.reset()));
    await sendRequest(pool);
    const next = sendRequest(pool);
    await provider.call('GET /x', 1).received;
    // The timer runs every second.
    clock.advance(1000);
    clock.advance(1000);
    held.open();
    expect(await next).toMatchObject({ fault: { reason: 'closed' } });
    expect(provider.calls.length).toBe(2);
  });

  test('before a request was sent on it is not used', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond('GET /x', async (writer, call) => {
      await ok(writer, call);
      writer.cut();
    });
    await sendRequest(pool);
    await provider.drained();
    expect(await sendRequest(pool)).toMatchObject({ status: 200, fault: undefined });
    expect(provider.connections.accepted).toBe(2);
  });

  test.each([
    ['closed', 'end', (writer: ReplyWriter) => writer.cut()],
    ['reset', 'error', (writer: ReplyWriter) => writer.reset()],
  ] as const)('is not used once it is known to be %s, even before its socket is removed', async (_how, event, end) => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    const ending = gate();
    provider.respond('GET /x', async (writer, call) => {
      await ok(writer, call);
      void ending.opened.then(() => end(writer));
    });
    const next = Promise.withResolvers<Outcome>();
    const kept = await socketOf(() => sendRequest(pool));
    kept.once(event, () => next.resolve(sendRequest(pool)));
    ending.open();
    expect(await next.promise).toMatchObject({ status: 200, fault: undefined });
    expect(provider.connections.accepted).toBe(2);
  });

  test('causes a fault if a response had begun', async () => {
    const provider = await provide();
    const pool = poolFor(provider.url);
    provider.respond('GET /x', ok, raw('HTTP/1.1 2'));
    await sendRequest(pool);
    expect(await sendRequest(pool)).toMatchObject({ fault: { reason: 'closed' } });
    expect(provider.calls.length).toBe(2);
  });
});

describe('a handler that throws', () => {
  const text = requestText('GET', { host: 'x', target: '/x' }, headerLines({}), undefined);
  const silent = { head: () => {}, data: () => {}, end: () => {} };

  test.each(['head', 'data', 'end'] as const)(
    'at %s receives its own error, and no other handler does',
    async (when) => {
      const provider = await provide();
      provider.respond('GET /x', ok);
      const pool = poolFor(provider.url);
      const bug = new Error('a bug in the handler');
      const fault = await new Promise<TransportFault>((fail) => {
        const thrown = () => {
          throw bug;
        };
        pool.send(text, { ...silent, [when]: thrown, fail });
      });
      expect(fault).toMatchObject({ reason: 'handler-error', cause: bug });
      expect(await sendRequest(pool)).toMatchObject({ status: 200, fault: undefined });
    },
  );
});

/** An invalid name, because its first label is too long. It is unknown immediately, without a DNS query. */
const noName = `${'x'.repeat(64)}.invalid`;

describe('an exchange', () => {
  test('that is paused reads no more bytes until it is resumed', async () => {
    const provider = await provide();
    const second = gate();
    provider.respond('GET /x', sse(['a', second.opened, 'b']), ok);
    const pool = poolFor(provider.url);
    const read: string[] = [];
    const goOn = async (exchange: SentRequest): Promise<void> => {
      await provider.call('GET /x').finished;
      for (let turn = 0; turn < 5; turn += 1) await sendRequest(pool);
      read.push('resumed');
      exchange.resume();
    };
    await sendRequest(pool, (exchange, seen) => {
      read.push(seen.body);
      if (read.length > 1) return;
      exchange.pause();
      second.open();
      void goOn(exchange);
    });
    expect(read).toEqual(['data: a\n\n', 'resumed', 'data: a\n\ndata: b\n\n']);
  });

  test('fails if no server listens, if the name is unknown, and if the connection breaks', async () => {
    const gone = await provide();
    await gone.close();
    expect(await sendRequest(poolFor(gone.url))).toMatchObject({ fault: { reason: 'connect-failed' } });
    expect(await sendRequest(poolFor(`http://${noName}/`))).toMatchObject({ fault: { reason: 'connect-failed' } });
    const provider = await provide();
    provider.respond('GET /x', (writer) => writer.reset());
    expect(await sendRequest(poolFor(provider.url))).toMatchObject({ fault: { reason: 'closed' } });
  });

  test('fails if the connection is not open within the timeout', async () => {
    const silent = await provide();
    const clock = manualClock();
    const outcome = sendRequest(poolFor(`https://127.0.0.1:${silent.port}/`, { clock, connectTimeoutMs: 30 }));
    await expect.poll(() => silent.connections.accepted, { message: 'connections of the provider' }).toBe(1);
    clock.advance(30);
    expect(await outcome).toMatchObject({ fault: { reason: 'connect-timeout' } });
    await silent.drained();
  });
});

describe('over TLS', () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../../../../test/fixtures/upstreams/http1/${name}.pem`, import.meta.url), 'utf8');
  const key = pem('localhost-key');
  const trusted = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(trusted));

  test('an untrusted certificate is a fault', async () => {
    const provider = await provide({ tls: { key, cert: pem('localhost-cert') } });
    expect(await sendRequest(poolFor(provider.url))).toMatchObject({ fault: { reason: 'connect-failed' } });
  });

  test('a certificate for another name is a fault', async () => {
    const provider = await provide({ tls: { key, cert: pem('other-cert') } });
    setDefaultCACertificates([...trusted, pem('other-cert')]);
    expect(await sendRequest(poolFor(provider.url))).toMatchObject({
      fault: { message: expect.stringContaining('altnames') },
    });
  });

  test('a trusted certificate is accepted and the connection is kept', async () => {
    const provider = await provide({ tls: { key, cert: pem('localhost-cert') } });
    provider.respond('GET /x', sse(['a', 'b']));
    setDefaultCACertificates([...trusted, pem('localhost-cert')]);
    for (const name of ['127.0.0.1', 'localhost']) {
      const pool = poolFor(`https://${name}:${provider.port}/`);
      expect(await sendRequest(pool)).toMatchObject({ body: 'data: a\n\ndata: b\n\n' });
      expect(await sendRequest(pool)).toMatchObject({ body: 'data: a\n\ndata: b\n\n' });
    }
    expect(provider.connections.accepted).toBe(2);
  });
});
