import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import type { Ticket } from './queued-account.ts';
import type { Demand } from './demand.ts';

const demand = (accountId: string, more: Partial<Demand> = {}): Demand => ({
  accountId,
  keyId: 'key',
  weight: 1,
  cost: 10,
  bytes: 1,
  ...more,
});

function fixture() {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs);
  return {
    queue,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Lines up so many requests. */
    fill: (count: number, who: Demand): Ticket[] => Array.from({ length: count }, () => queue.enter(who)),
    /** Whose turns come next on that many places, each over before the next. */
    turns: (count: number, limit = 1): string[] =>
      Array.from({ length: count }, () => {
        const ticket = queue.next(limit);
        if (!ticket) return 'nobody';
        queue.leave(ticket, undefined);
        return ticket.demand.accountId;
      }),
  };
}

test('accounts take turns, however many requests one of them has', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('hog'));
  fill(3, demand('light'));
  expect(turns(6)).toEqual(['hog', 'light', 'hog', 'light', 'hog', 'light']);
  expect(queue.waiting).toBe(97);
});

test('an account of four times the weight has four turns for one', () => {
  const { fill, turns } = fixture();
  fill(100, demand('plain'));
  fill(100, demand('gold', { weight: 4 }));
  expect(turns(50).filter((id) => id === 'gold')).toHaveLength(40);
});

test('dear requests have fewer turns than cheap ones', () => {
  const { fill, turns } = fixture();
  fill(100, demand('long', { cost: 30 }));
  fill(100, demand('short', { cost: 10 }));
  expect(turns(40).filter((id) => id === 'short')).toHaveLength(30);
});

test('the keys of an account take turns, and the requests of a key come in order', () => {
  const { queue } = fixture();
  const costs = [1, 2, 3].map((cost) => queue.enter(demand('a', { keyId: 'busy', cost })));
  const other = queue.enter(demand('a', { keyId: 'calm' }));
  const order = [1, 2, 3, 4].map(() => queue.next(100));
  expect(order).toEqual([costs[0], other, costs[1], costs[2]]);
});

test('who was away has no claim on the time that went by', () => {
  const { fill, turns } = fixture();
  fill(1, demand('sleeper'));
  fill(100, demand('steady'));
  turns(50);
  fill(50, demand('sleeper'));
  expect(turns(20).filter((id) => id === 'sleeper')).toHaveLength(10);
});

test('going away for a moment does not shake off what was used', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('steady'));
  const greedy = queue.enter(demand('greedy'));
  expect(queue.next(2)?.demand.accountId).toBe('steady');
  expect(queue.next(2)).toBe(greedy);
  queue.leave(greedy, 200);
  fill(10, demand('greedy'));
  expect(turns(18)).not.toContain('greedy');
});

test('a request that cost more than expected costs turns, one that cost less earns them', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('a'));
  fill(100, demand('b'));
  const [first, second] = [queue.next(2), queue.next(2)];
  if (first) queue.leave(first, 50);
  if (second) queue.leave(second, 0);
  // a is 50 ahead of where it was, b is where it was.
  expect(turns(5)).toEqual(['b', 'b', 'b', 'b', 'b']);
});

test('a request that gives up costs its account nothing', () => {
  const { queue, fill, turns } = fixture();
  for (const ticket of fill(50, demand('fickle'))) queue.cancel(ticket);
  fill(5, demand('steady'));
  fill(5, demand('fickle'));
  expect(turns(4)).toEqual(['steady', 'fickle', 'steady', 'fickle']);
});

test('a request the upstream sent back comes first, and pays once', () => {
  const { queue, fill, turns } = fixture();
  fill(10, demand('a'));
  fill(10, demand('b'));
  const first = queue.next(1);
  if (first) queue.takeBack(first);
  expect(queue.next(1)).toBe(first);
  if (first) queue.leave(first, undefined);
  expect(turns(4)).toEqual(['b', 'a', 'b', 'a']);
});

test('a request that was sent back and gives up costs its account nothing', () => {
  const { queue, fill, turns } = fixture();
  fill(5, demand('a'));
  fill(5, demand('b'));
  const first = queue.next(1)!;
  queue.takeBack(first);
  queue.cancel(first);
  expect(turns(4)).toEqual(['a', 'b', 'a', 'b']);
});

test('of several sent back, the one let in first comes first', () => {
  const { queue, fill } = fixture();
  fill(4, demand('a'));
  const tickets = [1, 2, 3].map(() => queue.next(9));
  for (const index of [1, 2, 0]) queue.takeBack(tickets[index]!);
  expect([1, 2, 3].map(() => queue.next(9))).toEqual(tickets);
});

test('one account leaves a tenth of the places to others while others are about', () => {
  const { queue, fill } = fixture();
  queue.cancel(queue.enter(demand('other')));
  fill(30, demand('hog'));
  const running = Array.from({ length: 20 }, () => queue.next(20)).filter(Boolean);
  expect(running).toHaveLength(18);
  expect(queue.enterAtOnce(demand('hog'), 20)).toBeUndefined();
  expect(queue.enterAtOnce(demand('newcomer'), 20)).toBeDefined();
});

test('an account that is alone for long may have every place', () => {
  const { queue, fill, pass } = fixture();
  queue.cancel(queue.enter(demand('other')));
  fill(30, demand('hog'));
  pass(300_001);
  expect(Array.from({ length: 20 }, () => queue.next(20)).filter(Boolean)).toHaveLength(20);
});

test('one turn in eight goes to an account that has had none for too long, and then it waits as long again', () => {
  const { queue, fill, pass, turns } = fixture();
  const debtors = ['first debtor', 'second debtor'];
  const dear = debtors.map((id) => queue.enterAtOnce(demand(id), 9)!);
  for (const id of debtors) fill(5, demand(id));
  fill(100, demand('other'));
  for (const ticket of dear) queue.leave(ticket, 100_000);
  expect(new Set(turns(16))).toEqual(new Set(['other']));
  pass(120_001);
  const order = turns(32);
  expect(order.filter((id) => id !== 'other')).toEqual(debtors);
  expect([order[7], order[15]]).toEqual(debtors);
});

test('nothing is remembered of accounts that are gone', () => {
  const { queue, fill } = fixture();
  for (let i = 0; i < 5000; i++) fill(1, demand(`account ${i}`));
  const tickets = Array.from({ length: 5000 }, () => queue.next(10_000)!);
  for (const ticket of tickets) queue.leave(ticket, undefined);
  expect([...queue.accounts]).toEqual([]);
});

const accountsMax = 5;
const costMax = 100;

test('what two waiting accounts got for their weight never differs by more than the bound', () => {
  const anyRequest = fc.record({
    estimate: fc.integer({ min: 1, max: costMax }),
    actual: fc.integer({ min: 0, max: costMax }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: accountsMax }),
      fc.array(fc.tuple(anyRequest, fc.nat()), { minLength: 50, maxLength: 300 }),
      (places, weights, steps) => {
        const { queue } = fixture();
        const got = weights.map(() => 0);
        const running: { ticket: Ticket; account: number; actual: number }[] = [];
        const actualOf = new Map<Ticket, number>();
        let step = 0;
        const arrive = (account: number): void => {
          const { estimate, actual } = steps[step++ % steps.length]![0];
          const ticket = queue.enter(demand(String(account), { weight: weights[account]!, cost: estimate }));
          actualOf.set(ticket, actual);
        };
        for (const account of weights.keys()) for (let i = 0; i < places + 1; i++) arrive(account);
        for (const [, draw] of steps) {
          while (running.length < places) {
            const ticket = queue.next(places)!;
            const account = Number(ticket.demand.accountId);
            running.push({ ticket, account, actual: actualOf.get(ticket)! });
            got[account]! += ticket.demand.cost / weights[account]!;
            arrive(account);
          }
          const [over] = running.splice(draw % running.length, 1);
          queue.leave(over!.ticket, over!.actual);
          got[over!.account]! += (over!.actual - over!.ticket.demand.cost) / weights[over!.account]!;
          expect(Math.max(...got) - Math.min(...got)).toBeLessThanOrEqual((places + 1) * 2 * costMax);
        }
      },
    ),
  );
});

test('however requests come, give up, end and come back, each is let in at most once at a time and none is lost', () => {
  const step = fc.tuple(
    fc.constantFrom('enter', 'enter', 'next', 'next', 'cancel', 'leave', 'take back'),
    fc.nat(),
    fc.integer({ min: 1, max: costMax }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 200 }), (places, steps) => {
      const { queue } = fixture();
      const waiting = new Set<Ticket>();
      const running = new Set<Ticket>();
      const pick = (from: Set<Ticket>, draw: number): Ticket | undefined => [...from][draw % from.size];
      for (const [what, draw, cost] of steps) {
        if (what === 'enter') {
          const keyId = `key ${draw % 2}`;
          waiting.add(queue.enter(demand(`account ${draw % accountsMax}`, { keyId, cost, weight: 1 + (draw % 3) })));
        } else if (what === 'next' && running.size < places) {
          const ticket = queue.next(places);
          if (!ticket) expectAllHeldBack(waiting, running, places);
          else {
            expect(waiting.delete(ticket)).toBe(true);
            running.add(ticket);
          }
        } else if (what === 'cancel') {
          const ticket = pick(waiting, draw);
          if (ticket) queue.cancel(ticket);
          if (ticket) waiting.delete(ticket);
        } else if (what === 'leave' || what === 'take back') {
          const ticket = pick(running, draw);
          if (!ticket) continue;
          running.delete(ticket);
          if (what === 'leave') queue.leave(ticket, draw % 2 === 0 ? cost : undefined);
          else queue.takeBack(ticket);
          if (what === 'take back') waiting.add(ticket);
        }
        expect([queue.waiting, queue.running]).toEqual([waiting.size, running.size]);
      }
      for (const ticket of running) queue.leave(ticket, undefined);
      while (waiting.size > 0) {
        const ticket = queue.next(1)!;
        expect(waiting.delete(ticket)).toBe(true);
        queue.leave(ticket, 1);
      }
      expect([...queue.accounts]).toEqual([]);
    }),
  );
});

function expectAllHeldBack(waiting: Set<Ticket>, running: Set<Ticket>, places: number): void {
  for (const { account } of waiting) {
    const held = [...running].filter((ticket) => ticket.account === account).length;
    expect(held).toBeGreaterThanOrEqual(Math.ceil(0.9 * places));
  }
}
