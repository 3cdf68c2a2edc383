import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { SharedState } from '../../platform/cluster/arbiter.ts';
import { LeaseKeeper } from '../../platform/cluster/lease-keeper.ts';
import { memoryArbiter } from '../../platform/cluster/memory-arbiter.ts';
import { upstreamSchema, upstreamSpec } from '../../platform/config/schema/upstream.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ProviderRefusal } from '../upstreams/answer/refusal.ts';
import type { Slot } from './queue/slot.ts';
import { Upstreams, type UpstreamsParts } from './upstreams.ts';

const demand = { accountId: 'a', keyId: 'k', weight: 1, cost: 1, bytes: 1 };

function fixture(clock: Clock = systemClock, leases?: UpstreamsParts['leases']) {
  const log: string[] = [];
  const inUse = new Upstreams({
    clock,
    leases,
    open: ({ name, apiKeys }) => {
      log.push(`open ${name}`);
      return {
        name,
        credentials: apiKeys?.length ?? 1,
        open: () => Promise.reject(new Error('unused')),
        close: () => void log.push(`close ${name}`),
      };
    },
    healthChanged: () => {},
    bounds: () => ({ requests: 100, bytes: 1e6 }),
  });
  const spec = (name: string, more: object = {}) =>
    upstreamSpec(upstreamSchema.parse({ name, kind: 'openai', base_url: 'http://127.0.0.1:1', ...more }));
  return { log, inUse, spec };
}

/** Processes that share one upstream of one slot, and the shared state that the second of them receives. */
function sharedService() {
  const clock = manualClock();
  const arbiter = memoryArbiter(clock.elapsed);
  const received: SharedState[] = [];
  const spec = () => fixture().spec('a', { max_concurrency: 1 });
  return {
    clock,
    arbiter,
    received,
    spec,
    async process(name: string): Promise<Upstreams> {
      const keeper = new LeaseKeeper({ clock, arbiter, process: name, host: { machine: 'here', pid: 1 } });
      const { inUse } = fixture(clock, keeper);
      if (name === 'other') keeper.board.subscribe((state) => received.push(state));
      inUse.prepare([spec()]).use();
      await keeper.start();
      return inUse;
    },
    /** Advances the time by 6 s, in which all processes report. */
    async advance(): Promise<void> {
      for (let step = 0; step < 60; step += 1) {
        clock.advance(100);
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      }
    },
  };
}

function refusal(status: number): GatewayError {
  return new GatewayError('upstream-failed', { cause: new ProviderRefusal('a', status, 'no') });
}

test('an upstream whose settings did not change stays as it is', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a')]).use();
  const upstream = inUse.named('a');
  inUse.prepare([spec('a')]).use();
  expect(inUse.named('a')).toBe(upstream);
  expect(log).toEqual(['open a']);
});

test('another number of slots does not replace an upstream', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a', { max_concurrency: 1 })]).use();
  const queue = inUse.named('a')?.queue;
  queue?.tryEnter(demand);
  expect(queue?.tryEnter(demand)).toBeUndefined();
  inUse.prepare([spec('a', { max_concurrency: 2 })]).use();
  expect(queue?.tryEnter(demand)).toBeDefined();
  expect(log).toEqual(['open a']);
});

test('a changed upstream is replaced, a missing one closed, and running answers still count', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a'), spec('b')]).use();
  const slot = inUse.named('a')?.queue.tryEnter(demand);
  inUse.prepare([spec('a', { api_key: 'new', max_concurrency: 1 })]).use();
  expect(log).toEqual(['open a', 'open b', 'open a', 'close a', 'close b']);
  expect(inUse.named('b')).toBeUndefined();
  expect(inUse.running).toBe(1);
  expect(inUse.named('a')?.queue.tryEnter(demand)).toBeUndefined();
  slot?.release();
  expect(inUse.running).toBe(0);
});

test('an upstream that is removed and comes back still counts the slots of its running answers', async () => {
  const { inUse, spec } = fixture();
  inUse.prepare([spec('a', { max_concurrency: 1 })]).use();
  const slot = inUse.named('a')?.queue.tryEnter(demand);
  inUse.prepare([]).use();
  inUse.prepare([spec('a', { max_concurrency: 2 })]).use();
  const queue = inUse.named('a')?.queue;
  const second = queue?.tryEnter({ ...demand, accountId: 'b' });
  expect(second).toBeDefined();
  expect(queue?.tryEnter({ ...demand, accountId: 'c' })).toBeUndefined();
  expect(inUse.running).toBe(2);
  slot?.release();
  second?.release();
  expect(inUse.taken()).toMatchObject({ waiting: 0, calls: 0 });
});

test('a request at an upstream that was removed and came back is admitted when another process frees a slot', async () => {
  const service = sharedService();
  const [one, other] = await Promise.all([service.process('one'), service.process('other')]);
  const slots: Slot[] = [];
  const enter = (inUse: Upstreams, accountId: string) => {
    const wait = { signal: new AbortController().signal, deadlineMs: service.clock.elapsed() + 600_000 };
    void inUse
      .named('a')
      ?.queue.enter({ ...demand, accountId }, wait)
      .then((slot) => slot && slots.push(slot));
    return service.advance();
  };
  await enter(other, 'a');
  expect(slots).toHaveLength(1);
  await enter(one, 'b');
  one.prepare([]).use();
  one.prepare([service.spec()]).use();
  await service.advance();
  slots[0]?.release();
  await service.advance();
  expect(slots).toHaveLength(2);
});

test('an upstream that was opened and discarded is not reported to the other processes', async () => {
  const service = sharedService();
  const [one, other] = await Promise.all([service.process('one'), service.process('other')]);
  one.prepare([service.spec(), { ...service.spec(), name: 'b' }]).discard();
  await service.advance();
  const names = (await service.arbiter.overview()).flatMap(({ resources }) => resources.map(({ name }) => name));
  expect(names).toEqual(['a', 'a']);
  expect(other.named('b')).toBeUndefined();
});

test('a replaced credential broadcasts nothing about its replacement', async () => {
  const service = sharedService();
  const [one, other] = await Promise.all([service.process('one'), service.process('other')]);
  const old = one.named('a')!.credentials[0]!;
  for (let count = 0; count < 4; count += 1) old.take('model');
  for (const each of [one, other]) each.prepare([{ ...service.spec(), apiKeys: ['new'] }]).use();
  await service.advance();
  service.received.length = 0;
  old.failed(refusal(401), 'model');
  for (let count = 0; count < 3; count += 1) old.failed(refusal(429), 'model');
  await service.advance();
  expect(service.received).toEqual([]);
  expect(other.named('a')?.credentials[0]).toMatchObject({ healthStatus: 'healthy' });
});

test('every credential has its own health, and the report contains each', () => {
  const { inUse, spec } = fixture();
  inUse.prepare([spec('a', { api_keys: ['one', 'two'], max_concurrency: 7 })]).use();
  expect(inUse.report()).toMatchObject([
    { name: 'a', running: 0, waiting: 0, limit: 7, credentials: [{ index: 0, state: 'healthy' }, { index: 1 }] },
  ]);
});
