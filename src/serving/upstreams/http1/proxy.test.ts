import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gate, json, sse } from '../../../../test/fakes/fake-provider.ts';
import { type FakeProvider, fakeProvider } from '../../../../test/fakes/fake-provider.ts';
import { type FakeProxy, fakeProxy } from '../../../../test/fakes/fake-proxy.ts';
import { type ManualClock, manualClock } from '../../../../test/clocks/manual-clock.ts';
import { egressGuard } from './egress-guard.ts';
import type { TransportFault } from './transport-fault.ts';
import type { IdleOptions } from './idle-connections.ts';
import { type HttpPool, httpPool } from './pool.ts';
import { proxyAt } from './proxy.ts';
import { headerLines, requestBytes, requestText } from './request-text.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../../../test/fixtures/upstreams/http1/${name}.pem`, import.meta.url), 'utf8');
const ca = pem('localhost-cert');

/** TLS goes through a tunnel. The proxy reads and forwards plain HTTP. */
describe.each([
  ['TLS', { key: pem('localhost-key'), cert: ca }, 'https://localhost'],
  ['plain HTTP', undefined, 'http://models.example'],
])('%s through a proxy', (_name, tls, origin) => {
  let provider: FakeProvider;
  let proxy: FakeProxy;
  let clock: ManualClock;
  const pools: HttpPool[] = [];
  beforeEach(async () => {
    provider = await fakeProvider(tls && { tls });
    proxy = await fakeProxy(provider.port);
    clock = manualClock();
  });
  afterEach(async () => {
    for (const pool of pools.splice(0)) pool.close();
    await proxy.close();
    await provider.close();
  });

  function poolBy(address: string, options: Partial<IdleOptions> = {}): HttpPool {
    const proxyFor = (): string => address.replace('PORT', String(proxy.port));
    const pool = httpPool({ origin: new URL(origin), clock, connectTimeoutMs: 2000, proxyFor, ca, ...options });
    pools.push(pool);
    return pool;
  }

  interface Outcome {
    readonly status?: number;
    readonly body?: string;
    readonly fault?: TransportFault;
    readonly wasSent: boolean;
  }

  const whole = requestText('GET', { host: 'models.example', target: '/x' }, headerLines({}), undefined);

  function sendRequest(pool: HttpPool, request: string | Buffer = whole): Promise<Outcome> {
    return new Promise((resolve) => {
      const seen = { status: 0, body: '', wasSent: false };
      pool.send(request, {
        sent: () => void (seen.wasSent = true),
        head: ({ status }) => void (seen.status = status),
        data: (bytes) => void (seen.body += bytes.toString()),
        end: () => resolve(seen),
        fail: (fault) => resolve({ fault, wasSent: seen.wasSent }),
      });
    });
  }

  test('answers a request and keeps the connection for the next one', async () => {
    provider.respond('GET /x', json(200, { ok: true }), sse(['a', 'b']));
    const pool = poolBy('http://127.0.0.1:PORT');
    expect(await sendRequest(pool)).toMatchObject({ status: 200, body: '{"ok":true}' });
    expect(await sendRequest(pool)).toMatchObject({ body: 'data: a\n\ndata: b\n\n' });
    const lines = proxy.requests.map(({ line }) => line);
    expect(lines).toEqual(tls ? ['CONNECT localhost:443'] : Array(2).fill('GET http://models.example/x'));
    expect((await provider.call('GET /x').received).headers['host']).toBe('models.example');
  });

  test('carries binary bodies and the proxy credentials', async () => {
    provider.respond('POST /x', json(200, {}));
    const body = Buffer.from([0, 255, 10, 13, 128]);
    const request = requestBytes({ host: 'models.example', target: '/x' }, headerLines({}), body);
    expect(await sendRequest(poolBy('http://us%65r:p%40ss@127.0.0.1:PORT'), request)).toMatchObject({ status: 200 });
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.requests).toEqual([{ line: expect.any(String), authorization }]);
    const { headers } = await provider.call('POST /x').received;
    expect(headers['proxy-authorization']).toBe(tls ? undefined : authorization);
  });

  test('stops reading while it is paused, and continues after that', async () => {
    const held = gate();
    provider.respond('GET /x', sse([{ first: 1 }, held.opened, { last: 2 }]));
    const text = await new Promise<string>((resolve) => {
      let body = '';
      const sent = poolBy('http://127.0.0.1:PORT').send(whole, {
        head: () => {},
        data: (bytes) => {
          body += bytes.toString();
          if (!body.includes('last')) {
            sent.pause();
            held.open();
            setImmediate(() => sent.resume());
          }
        },
        end: () => resolve(body),
        fail: (fault) => resolve(fault.message),
      });
      sent.pause();
      sent.resume();
    });
    expect(text).toBe('data: {"first":1}\n\ndata: {"last":2}\n\n');
  });

  test('a proxy that requires other credentials is a failed connection, with an error without secrets', async () => {
    proxy.behave(407);
    const { fault } = await sendRequest(poolBy('http://user:canary@127.0.0.1:PORT'));
    expect(fault).toMatchObject({ reason: 'connect-failed', message: expect.stringContaining('(407)') });
    expect(inspect(fault, { depth: 9 })).not.toContain('canary');
    expect(provider.connections.accepted).toBe(0);
  });

  test('a proxy that refuses to forward a request does not count as a provider that refuses the key', async () => {
    proxy.behave(403);
    const { fault } = await sendRequest(poolBy('http://127.0.0.1:PORT'));
    expect(fault).toMatchObject({ reason: 'connect-failed', message: expect.stringContaining('(it answered 403)') });
    expect(provider.connections.accepted).toBe(0);
    proxy.behave('serve');
    provider.respond('GET /x', json(403, { error: { message: 'no such key' } }));
    const answered = await sendRequest(poolBy('http://127.0.0.1:PORT'));
    expect(answered).toMatchObject({ status: 403, body: expect.stringContaining('no such key') });
  });

  test('a missing proxy is a failed connection', async () => {
    await proxy.close();
    expect(await sendRequest(poolBy('http://127.0.0.1:PORT'))).toMatchObject({
      wasSent: false,
      fault: { reason: 'connect-failed', message: expect.stringContaining('ECONNREFUSED') },
    });
    proxy = await fakeProxy(provider.port);
  });

  test('a request aborted while the proxy is silent leaves no connection and no timer', async () => {
    proxy.behave('hang');
    const sent = poolBy('http://127.0.0.1:PORT').send(whole, {
      head: () => {},
      data: () => {},
      end: () => {},
      fail: () => {
        throw new Error('no handler may be called any more');
      },
    });
    await expect.poll(() => proxy.requests.length, { message: 'requests that reached the proxy' }).toBe(1);
    sent.destroy();
    expect(clock.pending).toBe(0);
  });

  test.runIf(tls)('a proxy that never answers fails the request after the connect timeout', async () => {
    proxy.behave('hang');
    const outcome = sendRequest(poolBy('http://127.0.0.1:PORT'));
    await expect.poll(() => proxy.requests.length, { message: 'requests that reached the proxy' }).toBe(1);
    clock.advance(2000);
    expect(await outcome).toMatchObject({ wasSent: false, fault: { reason: 'connect-timeout' } });
  });

  test.runIf(tls)('a proxy that refuses or sends an invalid response is a failed connection', async () => {
    proxy.behave(403);
    const refused = await sendRequest(poolBy('http://127.0.0.1:PORT'));
    expect(refused).toMatchObject({ wasSent: false, fault: { message: expect.stringContaining('it answered 403') } });
    proxy.behave('garbage');
    expect(await sendRequest(poolBy('http://127.0.0.1:PORT'))).toMatchObject({ fault: { reason: 'connect-failed' } });
  });

  test.runIf(tls)('an untrusted certificate is a fault through a tunnel too', async () => {
    expect(await sendRequest(poolBy('http://127.0.0.1:PORT', { ca: undefined }))).toMatchObject({
      fault: { reason: 'connect-failed', message: expect.stringContaining('self-signed') },
    });
  });

  test('the guard also blocks private addresses through a proxy', async () => {
    const guard = egressGuard([]);
    const requestTo = (host: string, addresses: string[]) =>
      sendRequest(
        poolBy('http://127.0.0.1:PORT', {
          guard,
          origin: new URL(origin.replace(/\/\/.*/, `//${host}`)),
          lookup: (_host, _options, callback) =>
            addresses.length === 0
              ? callback(new Error('unknown here'), [])
              : callback(
                  null,
                  addresses.map((address) => ({ address, family: 4 })),
                ),
        }),
      );
    const refused = { fault: { message: expect.stringContaining('is not a public address') } };
    expect(await requestTo('169.254.169.254', [])).toMatchObject(refused);
    expect(await requestTo('inside.example', ['93.184.216.34', '10.1.2.3'])).toMatchObject(refused);
    expect(proxy.requests).toEqual([]);
    // The guard allows names that only the proxy can resolve, and public addresses.
    provider.respond('GET /x', json(200, {}));
    await requestTo('outside.example', ['93.184.216.34']);
    await requestTo('known-to-the-proxy.example', []);
    expect(proxy.requests).toHaveLength(2);
  });
});

test('a proxy of another protocol is refused, and the error says what to do', () => {
  expect(() => proxyAt('socks5://127.0.0.1:1080')).toThrow(/this one uses socks5\. Set HTTPS_PROXY/);
});
