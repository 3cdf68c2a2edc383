import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveQueue, QueueAccount } from '../../api/wire.ts';
import { largestHolder, slotShares, waitingLine } from './slot-shares.ts';

const account = (id: string, load: Partial<QueueAccount> = {}): QueueAccount => ({
  id,
  name: id,
  running: 0,
  waiting: 0,
  fair_share: 0.5,
  oldest_wait_ms: null,
  turn: null,
  ...load,
});

const queueOf = (limit: number, accounts: readonly QueueAccount[], more: Partial<LiveQueue> = {}): LiveQueue => ({
  name: 'fast',
  state: 'healthy',
  running: accounts.reduce((sum, { running }) => sum + running, 0),
  waiting: accounts.reduce((sum, { waiting }) => sum + waiting, 0),
  limit,
  cooldown_until: null,
  fairness: null,
  accounts,
  idle: null,
  processes: [],
  ...more,
});

test('slots of the idle class are neither free nor of an account', () => {
  const idle = { running: 3, waiting: 9, accounts: [] };
  const queue = queueOf(10, [account('a', { running: 2 })], { idle });
  expect(slotShares(queue, 8)).toMatchObject({ free: 5, others: undefined });
});

test('an upstream without slots or requests has nothing to draw', () => {
  expect(slotShares(queueOf(0, []), 8)).toEqual({ named: [], others: undefined, free: 0 });
  expect(largestHolder(queueOf(1, []))).toBeUndefined();
});

test('the accounts beyond the named ones are counted and added up', () => {
  const accounts = Array.from({ length: 20 }, (_, index) => account(`a${index}`, { running: 2, waiting: 1 }));
  expect(slotShares(queueOf(64, accounts), 8)).toMatchObject({
    named: { length: 8 },
    others: { count: 12, running: 24, waiting: 12 },
    free: 24,
  });
  expect(slotShares(queueOf(64, accounts.slice(0, 9)), 8)).toMatchObject({ named: { length: 9 }, others: undefined });
});

test('the drawn slots are always the limit, or the running requests above a lowered limit', () => {
  const load = fc.record({ running: fc.nat(300), waiting: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(load, { maxLength: 60 }), fc.nat(2000), fc.nat(50), (loads, limit, unlisted) => {
      const accounts = loads.map((each, index) => account(`a${index}`, each));
      const base = queueOf(limit, accounts);
      const queue = { ...base, running: base.running + unlisted };
      const { named, others, free } = slotShares(queue, 8);
      const drawn = named.reduce((sum, { running }) => sum + running, (others?.running ?? 0) + free);
      expect(drawn).toBe(Math.max(limit, queue.running));
    }),
  );
});

test('an account above its fair share is a hog only while others wait', () => {
  const hog = account('acme', { running: 48, waiting: 31, fair_share: 1 / 3 });
  const others = [account('globex', { running: 8, fair_share: 1 / 3 }), account('initech', { running: 8, waiting: 2 })];
  expect(largestHolder(queueOf(64, [hog, ...others]))).toEqual({ account: hog, share: 0.75, isHog: true });
  const calm = others.map((each) => ({ ...each, waiting: 0 }));
  expect(largestHolder(queueOf(64, [hog, ...calm]))).toMatchObject({ share: 0.75, isHog: false });
  const paying = { ...hog, fair_share: 0.7 };
  expect(largestHolder(queueOf(64, [paying, ...others]))).toMatchObject({ isHog: false });
});

test('the waiting line starts with the account that gets the next slot', () => {
  const line = waitingLine([
    account('hog', { waiting: 31, turn: 3 }),
    account('idle', { running: 4 }),
    account('elsewhere', { waiting: 2 }),
    account('next', { waiting: 1, turn: 1 }),
  ]);
  expect(line.map(({ id }) => id)).toEqual(['next', 'hog', 'elsewhere']);
});
