import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountSlotsMax, FairQueue } from './fair-queue.ts';
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
    /** Enqueues `count` requests. */
    fill: (count: number, who: Demand): Ticket[] => Array.from({ length: count }, () => queue.enter(who)),
    /** The accounts that get the next slots, of `limit` slots; each request is over before the next. */
    turns: (count: number, limit = 1): string[] =>
      Array.from({ length: count }, () => {
        const ticket = queue.next(limit);
        if (!ticket) return 'none';
        queue.leave(ticket, undefined);
        return ticket.demand.accountId;
      }),
  };
}

test('accounts take turns, even if one of them has many more requests', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('hog'));
  fill(3, demand('light'));
  expect(turns(6)).toEqual(['hog', 'light', 'hog', 'light', 'hog', 'light']);
  expect(queue.waiting).toBe(97);
});

test('an account of four times the weight gets four slots for one', () => {
  const { fill, turns } = fixture();
  fill(100, demand('plain'));
  fill(100, demand('gold', { weight: 4 }));
  expect(turns(50).filter((id) => id === 'gold')).toHaveLength(40);
});

test('an account with expensive requests gets fewer slots than one with cheap requests', () => {
  const { fill, turns } = fixture();
  fill(100, demand('long', { cost: 30 }));
  fill(100, demand('short', { cost: 10 }));
  expect(turns(40).filter((id) => id === 'short')).toHaveLength(30);
});

test('the keys of an account take turns, and the requests of a key are served in order', () => {
  const { queue } = fixture();
  const costs = [1, 2, 3].map((cost) => queue.enter(demand('a', { keyId: 'busy', cost })));
  const other = queue.enter(demand('a', { keyId: 'calm' }));
  const order = [1, 2, 3, 4].map(() => queue.next(100));
  expect(order).toEqual([costs[0], other, costs[1], costs[2]]);
});

test('an account that was idle has no claim on the time that went by', () => {
  const { fill, turns } = fixture();
  fill(1, demand('sleeper'));
  fill(100, demand('steady'));
  turns(50);
  fill(50, demand('sleeper'));
  expect(turns(20).filter((id) => id === 'sleeper')).toHaveLength(10);
});

test('an account that is idle for a moment still pays for what it used', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('steady'));
  const greedy = queue.enter(demand('greedy'));
  expect(queue.next(2)?.demand.accountId).toBe('steady');
  expect(queue.next(2)).toBe(greedy);
  queue.leave(greedy, 200);
  fill(10, demand('greedy'));
  expect(turns(18)).not.toContain('greedy');
});

test('a request that cost more than expected costs its account slots, one that cost less earns them', () => {
  const { queue, fill, turns } = fixture();
  fill(100, demand('a'));
  fill(100, demand('b'));
  const [first, second] = [queue.next(2), queue.next(2)];
  if (first) queue.leave(first, 50);
  if (second) queue.leave(second, 0);
  // `a` is 50 ahead of where it was, `b` is where it was.
  expect(turns(5)).toEqual(['b', 'b', 'b', 'b', 'b']);
});

test('an impossible usage report costs no more than the request could have cost', () => {
  const { queue, fill, turns } = fixture();
  fill(30, demand('believed', { costMax: 40 }));
  fill(30, demand('other'));
  queue.leave(queue.next(1)!, 9e15);
  expect(turns(10).filter((id) => id === 'believed')).toHaveLength(3);
});

test.each([0.1, 1, 8, 1000])('weights hold if requests cost %f times the estimate', (ratio) => {
  const { queue, fill } = fixture();
  const [slots, cost] = [8, 80];
  const [plain, gold] = [demand('plain', { cost }), demand('gold', { cost, weight: 3 })];
  for (const who of [plain, gold]) fill(16, who);
  const running: Ticket[] = [];
  let golden = 0;
  for (let turn = 0; turn < 4000; turn += 1) {
    while (running.length < slots) running.push(queue.next(slots)!);
    const over = running.shift()!;
    queue.leave(over, ratio * cost);
    queue.enter(over.demand);
    if (over.demand === gold) golden += 1;
  }
  expect(golden / (4000 - golden)).toBeCloseTo(3, 1);
});

test('an account that holds its maximum of slots has no claim on slots that others take meanwhile', () => {
  const { queue, fill } = fixture();
  fill(100, demand('gold', { weight: 9 }));
  fill(100, demand('plain'));
  const golden: Ticket[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const ticket = queue.next(8)!;
    if (ticket.demand.accountId === 'gold') golden.push(ticket);
    else queue.leave(ticket, undefined);
  }
  expect(golden).toHaveLength(7);
  fill(100, demand('new-account', { weight: 9 }));
  for (const ticket of golden) queue.leave(ticket, undefined);
  const order = Array.from({ length: 40 }, () => queue.next(100)!.demand.accountId);
  // The new account is behind by no more than one request of the other account, which is nine of its own.
  expect(order.filter((id) => id === 'new-account').length).toBeGreaterThanOrEqual(14);
});

test('a cancelled request costs its account nothing', () => {
  const { queue, fill, turns } = fixture();
  for (const ticket of fill(50, demand('fickle'))) queue.cancel(ticket);
  fill(5, demand('steady'));
  fill(5, demand('fickle'));
  expect(turns(4)).toEqual(['steady', 'fickle', 'steady', 'fickle']);
});

test('a request that the upstream refused is served first, and is charged once', () => {
  const { queue, fill, turns } = fixture();
  fill(10, demand('a'));
  fill(10, demand('b'));
  const first = queue.next(1);
  if (first) refuse(queue, first);
  expect(queue.next(1)).toBe(first);
  if (first) queue.leave(first, undefined);
  expect(turns(4)).toEqual(['b', 'a', 'b', 'a']);
});

test('a refused request that is cancelled costs its account nothing', () => {
  const { queue, fill, turns } = fixture();
  fill(5, demand('a'));
  fill(5, demand('b'));
  const first = queue.next(1)!;
  refuse(queue, first);
  queue.cancel(first);
  expect(turns(4)).toEqual(['a', 'b', 'a', 'b']);
});

test('of several refused requests, the one admitted first is served first', () => {
  const { queue, fill } = fixture();
  fill(4, demand('a'));
  const tickets = [1, 2, 3].map(() => queue.next(9));
  for (const index of [1, 2, 0]) refuse(queue, tickets[index]!);
  expect([1, 2, 3].map(() => queue.next(9))).toEqual(tickets);
});

test('one account leaves a tenth of the slots to others while other accounts are active', () => {
  const { queue, fill } = fixture();
  queue.cancel(queue.enter(demand('other')));
  fill(30, demand('hog'));
  const running = Array.from({ length: 20 }, () => queue.next(20)).filter(Boolean);
  expect(running).toHaveLength(18);
  expect(queue.enterAtOnce(demand('hog'), 20)).toBeUndefined();
  expect(queue.enterAtOnce(demand('new-account'), 20)).toBeDefined();
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [8, 7],
  [10, 9],
  [11, 9],
  [20, 18],
])('of %i slots one account holds %i at most while other accounts are active', (slots, most) => {
  const { queue, fill } = fixture();
  queue.cancel(queue.enter(demand('other')));
  fill(30, demand('hog'));
  expect(Array.from({ length: slots }, () => queue.next(slots)).filter(Boolean)).toHaveLength(most);
});

test('after the start, one of 4 to 9 slots stays free for another account, and none of 2 or 3', () => {
  for (const [slots, most] of [
    [2, 2],
    [3, 3],
    [4, 3],
    [9, 8],
    [10, 10],
  ] as const) {
    const { queue, fill } = fixture();
    fill(30, demand('hog'));
    expect(Array.from({ length: slots }, () => queue.next(slots)).filter(Boolean)).toHaveLength(most);
  }
});

test('an account that is alone for five minutes may have every slot', () => {
  const { queue, fill, pass } = fixture();
  queue.cancel(queue.enter(demand('other')));
  fill(30, demand('hog'));
  pass(300_001);
  expect(Array.from({ length: 20 }, () => queue.next(20)).filter(Boolean)).toHaveLength(20);
});

test('one slot in eight goes to an account without one for too long, which then waits as long again', () => {
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

/** A sub-queue that a test opens and closes. */
function door(name: string, isOpen = true) {
  const subQueue = { name, isOpen: () => state.isOpen, closedMs: () => 0 };
  const state = { subQueue, isOpen };
  return state;
}

test('requests in a closed sub-queue block no other request', () => {
  const { queue, turns } = fixture();
  const closed = door('closed', false);
  for (let i = 0; i < 5; i++) queue.enter(demand('a'), closed.subQueue);
  for (let i = 0; i < 2; i++) queue.enter(demand('b'));
  expect(turns(3)).toEqual(['b', 'b', 'none']);
  expect(queue.waiting).toBe(5);
  closed.isOpen = true;
  expect(turns(6)).toEqual(['a', 'a', 'a', 'a', 'a', 'none']);
});

test('a key’s requests are served in order across several sub-queues, and a closed sub-queue is passed over', () => {
  const { queue } = fixture();
  const [one, other] = [door('one'), door('other')];
  const tickets = [one, other, one, other].map(({ subQueue }) => queue.enter(demand('a'), subQueue));
  const second = queue.enter(demand('a', { keyId: 'second' }), other.subQueue);
  expect(queue.next(9)).toBe(tickets[0]);
  expect(queue.next(9)).toBe(second);
  one.isOpen = false;
  expect([queue.next(9), queue.next(9)]).toEqual([tickets[1], tickets[3]]);
  expect(queue.next(9)).toBeUndefined();
  one.isOpen = true;
  expect(queue.next(9)).toBe(tickets[2]);
});

test('an account in a closed sub-queue is served first when it opens, and has no claim on the time that went by', () => {
  const { queue, fill, turns } = fixture();
  const rested = door('rested', false);
  for (let i = 0; i < 50; i++) queue.enter(demand('rested'), rested.subQueue);
  fill(100, demand('steady'));
  turns(40);
  rested.isOpen = true;
  const order = turns(20);
  expect(order[0]).toBe('rested');
  expect(order.filter((id) => id === 'rested').length).toBeLessThanOrEqual(11);
});

test('a request in a cooldown keeps its tag and its account’s virtual time, and is in no sub-queue meanwhile', () => {
  const { queue, fill, turns } = fixture();
  fill(3, demand('a'));
  fill(3, demand('b'));
  const first = queue.next(1)!;
  queue.coolDown(first);
  expect([queue.waiting, queue.running]).toEqual([6, 0]);
  expect(turns(3)).toEqual(['b', 'a', 'b']);
  queue.requeue(first);
  expect(queue.next(1)).toBe(first);
});

test('the queue forgets accounts that are gone', () => {
  const { queue, fill } = fixture();
  for (let i = 0; i < 5000; i++) fill(1, demand(`account ${i}`));
  const tickets = Array.from({ length: 5000 }, () => queue.next(10_000)!);
  for (const ticket of tickets) queue.leave(ticket, undefined);
  expect([...queue.accounts]).toEqual([]);
});

const accountsMax = 5;
const costMax = 100;

test('the service of two waiting accounts for their weight never differs by more than the bound', () => {
  const anyRequest = fc.record({
    estimate: fc.integer({ min: 1, max: costMax }),
    actual: fc.integer({ min: 0, max: costMax }),
  });
  fc.assert(
    fc.property(
      // With few slots, an account cannot have as many more than another as its weight demands: one slot is always left
      // to others.
      fc.constantFrom(1, 20, 30),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: accountsMax }),
      fc.array(fc.tuple(anyRequest, fc.nat()), { minLength: 50, maxLength: 300 }),
      (slots, weights, steps) => {
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
        for (const account of weights.keys()) for (let i = 0; i < slots + 1; i++) arrive(account);
        for (const [, draw] of steps) {
          while (running.length < slots) {
            const ticket = queue.next(slots)!;
            const account = Number(ticket.demand.accountId);
            running.push({ ticket, account, actual: actualOf.get(ticket)! });
            got[account]! += ticket.demand.cost / weights[account]!;
            arrive(account);
          }
          const [over] = running.splice(draw % running.length, 1);
          queue.leave(over!.ticket, over!.actual);
          got[over!.account]! += (over!.actual - over!.ticket.demand.cost) / weights[over!.account]!;
          expect(Math.max(...got) - Math.min(...got)).toBeLessThanOrEqual((slots + 1) * 2 * costMax);
        }
      },
    ),
  );
});

test('after any sequence of steps, each request is admitted at most once at a time and none is lost', () => {
  const step = fc.tuple(
    fc.constantFrom('enter', 'enter', 'next', 'next', 'cancel', 'leave', 'rest', 'take back', 'door'),
    fc.nat(),
    fc.integer({ min: 1, max: costMax }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 200 }), (slots, steps) => {
      const { queue } = fixture();
      const doors = [0, 1, 2].map((each) => door(`door ${each}`));
      const waiting = new Set<Ticket>();
      const coolingDown = new Set<Ticket>();
      const running = new Set<Ticket>();
      const pick = (from: Set<Ticket>, draw: number): Ticket | undefined => [...from][draw % from.size];
      const move = (ticket: Ticket, from: Set<Ticket>, to?: Set<Ticket>): void => {
        expect(from.delete(ticket)).toBe(true);
        to?.add(ticket);
      };
      for (const [what, draw, cost] of steps) {
        const [inSubQueue, aside, inside] = [pick(waiting, draw), pick(coolingDown, draw), pick(running, draw)];
        if (what === 'enter') {
          const who = { keyId: `key ${draw % 2}`, cost, weight: 1 + (draw % 3) };
          waiting.add(queue.enter(demand(`account ${draw % accountsMax}`, who), doors[draw % 3]!.subQueue));
        } else if (what === 'door') doors[draw % 3]!.isOpen = cost % 2 === 0;
        else if (what === 'next' && running.size < slots) {
          const ticket = queue.next(slots);
          if (ticket) move(ticket, waiting, running);
          if (ticket) expect(ticket.subQueue.isOpen()).toBe(true);
          else expectAllHeldBack(new Set([...waiting].filter(({ subQueue }) => subQueue.isOpen())), running, slots);
        } else if (what === 'cancel' && (inSubQueue ?? aside)) {
          queue.cancel((inSubQueue ?? aside)!);
          move((inSubQueue ?? aside)!, inSubQueue ? waiting : coolingDown);
        } else if (what === 'leave' && inside) {
          queue.leave(inside, draw % 2 === 0 ? cost : undefined);
          move(inside, running);
        } else if (what === 'rest' && inside) {
          queue.coolDown(inside);
          move(inside, running, coolingDown);
        } else if (what === 'take back' && aside) {
          queue.requeue(aside);
          move(aside, coolingDown, waiting);
        }
        expect([queue.waiting, queue.running]).toEqual([waiting.size + coolingDown.size, running.size]);
      }
      for (const each of doors) each.isOpen = true;
      for (const ticket of running) queue.leave(ticket, undefined);
      for (const ticket of coolingDown) queue.requeue(ticket);
      for (let left = waiting.size + coolingDown.size; left > 0; left -= 1) queue.leave(queue.next(1)!, 1);
      expect([queue.waiting, queue.subQueues, [...queue.accounts]]).toEqual([0, [], []]);
    }),
  );
});

/** The upstream refused the request for lack of capacity. */
function refuse(queue: FairQueue, ticket: Ticket): void {
  queue.coolDown(ticket);
  queue.requeue(ticket);
}

function expectAllHeldBack(waiting: Set<Ticket>, running: Set<Ticket>, slots: number): void {
  for (const { account } of waiting) {
    const held = [...running].filter((ticket) => ticket.account === account).length;
    expect(held).toBeGreaterThanOrEqual(accountSlotsMax(slots));
  }
}

const noOtherProcess = { elsewhere: { running: 0, waiting: 0 }, accounts: [] };
const elsewhere = (id: string, wants: number) => ({
  elsewhere: { running: 0, waiting: wants },
  accounts: [{ id, running: 0, wants }],
});

test('an account’s weight here is in proportion to the part of its requests that is here', () => {
  const { queue, fill, turns } = fixture();
  fill(20, demand('everywhere'));
  fill(100, demand('here'));
  queue.applyElsewhere(elsewhere('everywhere', 60));
  expect(turns(20).filter((id) => id === 'everywhere')).toHaveLength(4);
});

test('an account has its whole weight here once its requests elsewhere are over', () => {
  const { queue, fill, turns } = fixture();
  fill(20, demand('everywhere'));
  fill(100, demand('here'));
  queue.applyElsewhere(elsewhere('everywhere', 980));
  turns(2);
  queue.applyElsewhere(noOtherProcess);
  expect(turns(10).filter((id) => id === 'everywhere').length).toBeGreaterThanOrEqual(4);
});

test('if other accounts wait too, an account gets slots here even if it holds many elsewhere', () => {
  const { queue, fill, turns } = fixture();
  fill(5, demand('served elsewhere'));
  fill(5, demand('other'));
  queue.applyElsewhere({
    elsewhere: { running: 1, waiting: 0 },
    accounts: [{ id: 'served elsewhere', running: 1, wants: 1 }],
  });
  expect(turns(4, 2)).toContain('served elsewhere');
});

test('an account may hold no more than its part of all slots, in all processes together', () => {
  const queue = new FairQueue(() => 0);
  queue.enterAtOnce(demand('hog'), 10);
  queue.applyElsewhere({ elsewhere: { running: 9, waiting: 0 }, accounts: [{ id: 'hog', running: 8, wants: 8 }] });
  expect(queue.enterAtOnce(demand('hog'), 10)).toBeUndefined();
  expect(queue.enterAtOnce(demand('other'), 10)).toBeDefined();
});
