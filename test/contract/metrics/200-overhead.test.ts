import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KeyRing } from '../../../src/money/accounts/key-ring.ts';
import { limitKey } from '../../../src/money/accounts/key-limits.ts';
import type { KeyId } from '../../../src/money/accounts/ids.ts';
import { adjustLease } from '../../../src/money/billing/wallet/leases.ts';
import { BodyCopy } from '../../../src/work/bodies/body-copy.ts';
import { chat } from '../../chat-client.ts';
import { jumpingClock } from '../../clocks/jumping-clock.ts';
import { answer, chunk, finish, gate, json, sse, usage } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { makeKey } from '../../keys.ts';
import { metricsIn, sumIn } from '../../metrics-text.ts';
import { RawClient } from '../../raw-client.ts';

const clock = jumpingClock();
const jumpMs = 20_000;
const jumpSeconds = jumpMs / 1000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(
    (base) => {
      const [upstream] = base['upstreams'] as [object];
      return {
        ...base,
        listen: { host: '127.0.0.1', port: 0, health_port: 0 },
        upstreams: [upstream, { ...upstream, name: 'narrow', max_concurrency: 1 }],
        models: [
          ...(base['models'] as object[]),
          model('embed', { endpoints: ['embeddings'], price: 'free' }),
          model('narrow', { routes: [{ upstream: 'narrow' }], fallbacks: [{ model: 'plain' }] }),
        ],
        accounts: [...(base['accounts'] as object[]), { name: 'unused', package: 'standard', credit: '100.00' }],
        stored_bodies: { max_bytes: '4KiB', memory_bytes_max: '64KiB' },
        waiting: { max_wait: '50s', hold_headers: '60s' },
      };
    },
    { clock },
  );
});
afterAll(() => gateway.stop());

/** The gateway's own time for the requests that are over, in seconds, and their number. */
async function ownTime(): Promise<{ readonly seconds: number; readonly requests: number }> {
  await expect.poll(() => gateway.gateway.alive()).toMatchObject({ exchanges: 0, requests: 0, holds: 0 });
  const metrics = metricsIn(await (await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`)).text());
  return {
    seconds: sumIn(metrics, 'gateway_overhead_seconds_sum'),
    requests: sumIn(metrics, 'gateway_overhead_seconds_count'),
  };
}

/** The own time that these requests add. */
async function ownTimeOf(send: () => Promise<unknown>): Promise<number> {
  const before = await ownTime();
  await send();
  const after = await ownTime();
  expect(after.requests).toBeGreaterThan(before.requests);
  return after.seconds - before.seconds;
}

/** A request whose model holds its answer until the gate opens. */
function heldAnswer(name: string): { open(): void } {
  const open = gate();
  const steps = [chunk({ role: 'assistant', content: 'one' }), open.opened, chunk({ content: ' two' })];
  gateway.provider.respond(name, sse([...steps, finish('stop'), usage(10, 10), '[DONE]']));
  return open;
}

test('the wait for an unknown key counts', async () => {
  const key = await gateway.newKey();
  const find = KeyRing.prototype.holder;
  vi.spyOn(KeyRing.prototype, 'holder').mockImplementationOnce(async function (this: KeyRing, secret) {
    const holder = await find.call(this, secret);
    clock.jump(jumpMs);
    return holder;
  });
  const own = await ownTimeOf(() => gateway.chat({}, { authorization: `Bearer ${key}` }));
  expect(own).toBeGreaterThanOrEqual(jumpSeconds);
});

test('the wait for funds of an account counts', async () => {
  const key = await gateway.newKey({ account: 'unused' });
  const { store } = gateway.gateway;
  const { commit } = store;
  const commits = vi.spyOn(store, 'commit').mockImplementation(async (work, input) => {
    const result = await commit(work, input);
    if ((work as unknown) === adjustLease) clock.jump(jumpMs);
    return result;
  });
  const own = await ownTimeOf(() => gateway.chat({}, { authorization: `Bearer ${key}` }));
  commits.mockRestore();
  expect(own).toBeGreaterThanOrEqual(jumpSeconds);
});

test('the wait for a slot of a key does not count', async () => {
  const { id, secret: key } = await makeKey(gateway.gateway, { account: 'tester', name: 'limited' });
  await limitKey(gateway.gateway.store, id as KeyId, { maxConcurrency: 1 });
  const open = heldAnswer('other');
  gateway.provider.respond('embed', json(200, { data: [{ embedding: [0.5] }], usage: { prompt_tokens: 1 } }));
  const own = await ownTimeOf(async () => {
    const first = chat({ port: gateway.port, key });
    await first.waitForText('one');
    const second = chat({ port: gateway.port, key });
    const body = { model: 'embed', input: 'hello' };
    const third = gateway.post('/v1/embeddings', body, { authorization: `Bearer ${key}` });
    await expect.poll(() => gateway.gateway.alive().keysWaiting).toBe(2);
    clock.jump(jumpMs);
    open.open();
    for (const each of [first, second]) expect(await each.over).toMatchObject({ status: 200, isDone: true });
    expect((await third).status).toBe(200);
  });
  expect(own).toBeLessThan(jumpSeconds);
});

test('the wait for a slot of a model that a fallback replaced does not count', async () => {
  const { port, key } = gateway;
  const open = heldAnswer('narrow');
  gateway.provider.respond('plain', answer('instead'));
  const own = await ownTimeOf(async () => {
    const first = chat({ port, key, model: 'narrow' });
    await first.waitForText('one');
    const second = gateway.chat({ model: 'narrow' });
    await expect.poll(() => gateway.gateway.alive().waiting).toBe(1);
    clock.jump(50_000);
    expect((await second).text).toContain('instead');
    open.open();
    await first.over;
  });
  expect(own).toBeLessThan(jumpSeconds);
});

test('the time to check a body counts, and the time that its client took to send it does not', async () => {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'stored' });
  await limitKey(gateway.gateway.store, id as KeyId, { storeBodies: true });
  const received = vi.spyOn(BodyCopy.prototype, 'received').mockImplementationOnce(() => clock.jump(jumpMs));
  const content = 'word '.repeat(20_000);
  const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content }] });
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const own = await ownTimeOf(async () => {
    const client = await RawClient.connect(gateway.port);
    client.send(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 70_000)}`);
    await expect.poll(() => gateway.gateway.alive().requests).toBe(1);
    clock.jump(2 * jumpMs);
    client.send(body.slice(70_000));
    expect((await client.response()).status).toBe(200);
    client.destroy();
  });
  expect(received).toHaveBeenCalled();
  expect(own).toBeGreaterThanOrEqual(jumpSeconds);
  expect(own).toBeLessThan(2 * jumpSeconds);
});
