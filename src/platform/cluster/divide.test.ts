import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowedIdleSlots, allowedSlots, divide, fairShares, idleReserve, type SlotClaim } from './divide.ts';

const nowMs = 1_700_000_000_000;

const account = (id: string, waiting: number, more: { running?: number; weight?: number } = {}) => ({
  id,
  weight: 1,
  running: 0,
  waiting,
  ...more,
});

const claim = (process: string, accounts: SlotClaim['accounts'], more: Partial<SlotClaim> = {}): SlotClaim => ({
  process,
  holds: 0,
  isSilent: false,
  accounts,
  ...more,
});

const counts = fc.nat({ max: 30 });
const demands = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    weight: fc.integer({ min: 1, max: 100 }),
    running: counts,
    waiting: counts,
  }),
  { selector: ({ id }) => id },
);
const claimsOfMany = fc
  .array(
    fc.record({
      holds: counts,
      isSilent: fc.boolean(),
      accounts: demands,
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((claims) => claims.map((each, index) => ({ process: `p${index}`, ...each })));
const limits = fc.nat({ max: 120 });
const total = (values: Iterable<number>) => [...values].reduce((one, other) => one + other, 0);

test('an account spread over all processes gets one share, and so does an account at a single process', () => {
  const claims = [
    claim('a', [account('hog', 100), account('single', 100)]),
    claim('b', [account('hog', 100)]),
    claim('c', [account('hog', 100)]),
  ];
  // One of the 20 slots is the reserve: 9.5 for each account.
  const parts = divide(20, claims, nowMs);
  expect([...parts.values()].reduce((one, other) => one + other)).toBe(19);
  expect(parts.get('a')).toBeGreaterThanOrEqual(12);
  expect(parts.get('b')).toBeGreaterThanOrEqual(3);
  expect(parts.get('c')).toBeGreaterThanOrEqual(3);
});

test('weights count between accounts, not between processes', () => {
  const claims = [
    claim('a', [account('heavy', 100, { weight: 3 })]),
    claim('b', [account('light', 50, { weight: 1 })]),
    claim('c', [account('light', 50, { weight: 1 })]),
  ];
  expect(Object.fromEntries(divide(42, claims, nowMs))).toEqual({ a: 30, b: 5, c: 5 });
});

test('an account with more demand gets the slots that another account does not need', () => {
  const claims = [claim('a', [account('modest', 2)]), claim('b', [account('greedy', 100)])];
  expect(Object.fromEntries(divide(20, claims, nowMs))).toEqual({ a: 2, b: 17 });
});

test('an idle process keeps one slot if there are enough, and an idle process alone gets half of all', () => {
  expect(Object.fromEntries(divide(6, [claim('a', [account('busy', 100)]), claim('b', [])], nowMs))).toEqual({
    a: 4,
    b: 1,
  });
  expect(Object.fromEntries(divide(3, [claim('a', [account('busy', 100)]), claim('b', [])], nowMs))).toEqual({
    a: 3,
    b: 0,
  });
  expect(Object.fromEntries(divide(10, [claim('a', [])], nowMs))).toEqual({ a: 5 });
  expect(Object.fromEntries(divide(1, [claim('a', [])], nowMs))).toEqual({ a: 1 });
});

test('if there are fewer slots than processes, each process has a slot for its part of the time', () => {
  const claims = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => claim(name, [account(name, 5)]));
  const times = new Map<string, number>();
  for (let nowMs = 0; nowMs < 7 * 60_000; nowMs += 5000) {
    const parts = divide(3, claims, nowMs);
    expect(total(parts.values())).toBe(3);
    for (const [name, part] of parts) times.set(name, (times.get(name) ?? 0) + part);
  }
  for (const count of times.values()) expect(Math.abs(count - 36)).toBeLessThanOrEqual(3);
});

test('the order of the processes does not change their parts', () => {
  fc.assert(
    fc.property(limits, claimsOfMany, (limit, claims) => {
      expect(new Map(divide(limit, claims.toReversed(), nowMs))).toEqual(new Map(divide(limit, claims, nowMs)));
    }),
  );
});

test('a silent process keeps the slots it holds, and no other process gets them', () => {
  const claims = [claim('gone', [account('x', 9)], { holds: 7, isSilent: true }), claim('a', [account('y', 20)])];
  expect(allowedSlots('a', 10, claims, nowMs)).toBe(3);
  expect(allowedSlots('gone', 10, claims, nowMs)).toBe(0);
});

test('a process gets no more slots than are free, even if its part is larger', () => {
  const claims = [claim('full', [account('x', 9)], { holds: 9 }), claim('new', [account('y', 9)])];
  expect(allowedSlots('new', 10, claims, nowMs)).toBe(1);
  expect(allowedSlots('full', 10, claims, nowMs)).toBe(5);
});

test('the parts are whole slots, and never add up to more than the limit minus the slots of silent processes', () => {
  fc.assert(
    fc.property(limits, claimsOfMany, (limit, claims) => {
      const parts = [...divide(limit, claims, nowMs).values()];
      const silent = total(claims.map(({ holds, isSilent }) => (isSilent ? holds : 0)));
      expect(total(parts)).toBeLessThanOrEqual(Math.max(0, limit - silent));
      for (const part of parts) expect(Number.isInteger(part) && part >= 0).toBe(true);
    }),
  );
});

test('while a process wants more, all slots are granted except the reserve and one for each idle process', () => {
  fc.assert(
    fc.property(limits, claimsOfMany, (limit, claims) => {
      const reachable = claims.filter(({ isSilent }) => !isSilent);
      const wants = (each: SlotClaim) => total(each.accounts.map(({ running, waiting }) => running + waiting));
      const silent = total(claims.map(({ holds, isSilent }) => (isSilent ? holds : 0)));
      const idle = reachable.filter((each) => wants(each) === 0).length;
      const slots = Math.max(0, limit - silent);
      const kept =
        reachable.length > 1 && slots >= 2 * reachable.length ? Math.max(1, Math.floor(slots / 20)) + idle : 0;
      const given = total(divide(limit, claims, nowMs).values());
      expect(given).toBeGreaterThanOrEqual(
        reachable.length > 0 ? Math.min(total(reachable.map(wants)), slots - kept) : 0,
      );
    }),
  );
});

test('no account gets more than it wants, nor more for its weight than an account that gets too little', () => {
  const wanting = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), wants: counts }), { minLength: 1 });
  fc.assert(
    fc.property(limits, wanting, (slots, wants) => {
      const shares = fairShares(slots, new Map(wants.entries()));
      const of = (index: number) => shares.get(index)!.slots;
      expect(total(wants.map((_, index) => of(index)))).toBeCloseTo(
        Math.min(slots, total(wants.map((each) => each.wants))),
        6,
      );
      for (const [short, { weight, wants: wanted }] of wants.entries()) {
        expect(of(short)).toBeLessThanOrEqual(wanted + 1e-9);
        if (of(short) > wanted - 1e-9) continue;
        for (const [other, each] of wants.entries()) {
          expect(of(other) / each.weight).toBeLessThanOrEqual(of(short) / weight + 1e-9);
        }
      }
    }),
  );
});

test('after any sequence of reports, the processes together hold no more than the limit', () => {
  const steps = fc.array(fc.record({ index: fc.nat({ max: 4 }), keeps: fc.nat({ max: 40 }), accounts: demands }));
  fc.assert(
    fc.property(limits, steps, (limit, history) => {
      const claims = new Map<string, SlotClaim>();
      for (const { index, keeps, accounts } of history) {
        const process = `p${index}`;
        // A process reports less than it was granted, or all of it.
        const holds = Math.min(keeps, claims.get(process)?.holds ?? 0);
        claims.set(process, claim(process, accounts, { holds }));
        const allowed = allowedSlots(process, limit, [...claims.values()], nowMs);
        claims.set(process, claim(process, accounts, { holds: Math.max(holds, allowed) }));
        expect(total([...claims.values()].map((each) => each.holds))).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

const claimsWithIdle = fc
  .tuple(claimsOfMany, fc.array(demands, { minLength: 8, maxLength: 8 }))
  .map(([claims, idle]): readonly SlotClaim[] => claims.map((each, index) => ({ ...each, idle: idle[index] })));
const wantsOf = (accounts: SlotClaim['accounts'] = []) =>
  total(accounts.map(({ running, waiting }) => running + waiting));

test('interactive requests of one process get slots before idle requests of another', () => {
  const batch = claim('a', [], { holds: 7, idle: [account('batch', 500, { running: 7 })] });
  expect(allowedIdleSlots('a', 8, [batch], nowMs)).toBe(7);
  const busy = claim('b', [account('x', 20)]);
  expect(allowedIdleSlots('a', 8, [batch, busy], nowMs)).toBe(0);
  expect(divide(8, [batch, busy], nowMs).get('b')).toBe(6);
});

test('idle requests get only whole slots that no interactive request of any process wants, beyond the reserve', () => {
  fc.assert(
    fc.property(limits, claimsWithIdle, (limit, claims) => {
      const reachable = claims.filter(({ isSilent }) => !isSilent);
      const silent = total(claims.map(({ holds, isSilent }) => (isSilent ? holds : 0)));
      const idle = claims.map(({ process }) => allowedIdleSlots(process, limit, claims, nowMs));
      const wanted = total(reachable.map(({ accounts }) => wantsOf(accounts)));
      const left = Math.max(0, limit - silent - wanted - idleReserve(limit));
      expect(total(idle)).toBeLessThanOrEqual(left);
      const parts = divide(limit, claims, nowMs);
      for (const [index, { process }] of claims.entries()) {
        expect(Number.isInteger(idle[index]) && idle[index]! >= 0).toBe(true);
        expect(idle[index]).toBeLessThanOrEqual(parts.get(process) ?? 0);
      }
    }),
  );
});

test('idle requests get all slots that are left, except one for each process without other requests and a tenth', () => {
  fc.assert(
    fc.property(limits, claimsWithIdle, (limit, claims) => {
      const reachable = claims.filter(({ isSilent }) => !isSilent);
      const slots = Math.max(0, limit - total(claims.map(({ holds, isSilent }) => (isSilent ? holds : 0))));
      const given = total(claims.map(({ process }) => allowedIdleSlots(process, limit, claims, nowMs)));
      const calm = reachable.filter(({ accounts }) => wantsOf(accounts) === 0).length;
      const kept = Math.max(1, Math.floor(slots / 20)) + calm + idleReserve(limit);
      const left = slots - kept - total(reachable.map(({ accounts }) => wantsOf(accounts)));
      expect(given).toBeGreaterThanOrEqual(Math.min(left, total(reachable.map(({ idle }) => wantsOf(idle)))));
    }),
  );
});

test('idle requests change no part of an interactive request', () => {
  fc.assert(
    fc.property(limits, claimsWithIdle, (limit, claims) => {
      const without = claims.map((each) => ({ ...each, idle: undefined }));
      const before = divide(limit, without, nowMs);
      const reachable = claims.filter(({ isSilent }) => !isSilent);
      const wanted = total(reachable.map(({ accounts }) => wantsOf(accounts)));
      // If interactive requests want all slots, every process has the same part.
      if (wanted >= limit) expect(divide(limit, claims, nowMs)).toEqual(before);
    }),
  );
});
