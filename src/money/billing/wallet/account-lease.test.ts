import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantViolation } from 'chat-formats/assert.ts';
import { AccountLease, type Waiter } from './account-lease.ts';

function filled(free: bigint): AccountLease {
  const accountLease = new AccountLease('ann', 'process');
  accountLease.receive({ leased: 0n, free: 0n }, { leased: free, free });
  return accountLease;
}

const parts = ({ leased, free, held }: AccountLease) => [leased, free, held];

function waiter(amount: bigint, isShort = false): Waiter & { isGranted: boolean } {
  return {
    amount,
    isShort,
    recalledMs: undefined,
    isGranted: false,
    granted() {
      this.isGranted = true;
    },
    refused: () => expect.unreachable(),
  };
}

test('spent money stays leased until its charge is booked', () => {
  const accountLease = filled(100n);
  accountLease.take(60n);
  accountLease.release(60n, 20n);
  expect(parts(accountLease)).toEqual([100n, 80n, 0n]);
  accountLease.booked(20n);
  expect(parts(accountLease)).toEqual([80n, 80n, 0n]);
});

test('spent money that the store did not charge is free again, at most the spent amount', () => {
  const accountLease = filled(100n);
  accountLease.take(60n);
  accountLease.release(60n, 20n);
  accountLease.booked(20n, 21n);
  expect(parts(accountLease)).toEqual([100n, 100n, 0n]);
});

test.each([
  ['holding more than is free', (accountLease: AccountLease) => accountLease.take(51n)],
  ['holding a negative amount', (accountLease: AccountLease) => accountLease.take(-1n)],
  ['releasing more than is held', (accountLease: AccountLease) => accountLease.release(51n, 0n)],
  ['spending more than is held', (accountLease: AccountLease) => accountLease.release(50n, 51n)],
  ['booking an amount that is still held', (accountLease: AccountLease) => accountLease.booked(1n)],
])('%s violates an invariant and changes nothing', (_what, act) => {
  const accountLease = filled(100n);
  accountLease.take(50n);
  expect(() => act(accountLease)).toThrow(InvariantViolation);
  expect(parts(accountLease)).toEqual([100n, 50n, 50n]);
});

test('waiting requests are granted in order, and only a request marked short is skipped', () => {
  const accountLease = filled(0n);
  const [large, small, tiny] = [waiter(60n), waiter(10n), waiter(5n)];
  accountLease.waiting.push(large, small, tiny);
  accountLease.receive({ leased: 0n, free: 0n }, { leased: 30n, free: 30n });
  accountLease.serve();
  expect([large, small, tiny].map(({ isGranted }) => isGranted)).toEqual([false, false, false]);
  large.isShort = true;
  accountLease.serve();
  expect([large, small, tiny].map(({ isGranted }) => isGranted)).toEqual([false, true, true]);
  expect(accountLease.waiting).toEqual([large]);
});

test('offered money cannot be held, and the lease is uncertain if the reply is lost', () => {
  const accountLease = filled(100n);
  accountLease.take(30n);
  expect(accountLease.offer()).toBe(70n);
  expect(() => accountLease.take(1n)).toThrow(InvariantViolation);
  accountLease.markUncertain(70n);
  expect([accountLease.isUncertain, ...parts(accountLease)]).toEqual([true, 30n, 0n, 30n]);
});

test('a closed account lease grants no waiting request, and accepts releases of its holds', () => {
  const accountLease = filled(100n);
  accountLease.take(60n);
  accountLease.close();
  accountLease.waiting.push(waiter(10n));
  accountLease.release(60n, 10n);
  accountLease.serve();
  expect(accountLease.waiting).toHaveLength(1);
});

test('no order of operations violates an invariant or loses money', () => {
  const amount = fc.bigInt({ min: 0n, max: 50n });
  const step = fc.record({ act: fc.constantFrom('take', 'over', 'book', 'lease', 'back'), amount });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const accountLease = filled(0n);
      const [holds, owed] = [new Array<bigint>(), new Array<bigint>()];
      for (const each of steps) {
        if (each.act === 'take' && each.amount <= accountLease.free) {
          accountLease.take(each.amount);
          holds.push(each.amount);
        } else if (each.act === 'over' && holds.length > 0) {
          const hold = holds.shift() ?? 0n;
          const spent = each.amount < hold ? each.amount : hold;
          accountLease.release(hold, spent);
          owed.push(spent);
        } else if (each.act === 'book' && owed.length > 0) accountLease.booked(owed.shift() ?? 0n);
        else if (each.act === 'lease' || each.act === 'back') {
          const before = { leased: accountLease.leased, free: accountLease.offer() };
          const free = each.act === 'lease' ? before.free + each.amount : 0n;
          accountLease.receive(before, { leased: before.leased + free - before.free, free });
        }
        const sum = [...holds, ...owed].reduce((total, one) => total + one, accountLease.free);
        expect(sum).toBe(accountLease.leased);
      }
    }),
  );
});
