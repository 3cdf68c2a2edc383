import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenRule } from '../core/assert.ts';
import { Purse, type Waiter } from './purse.ts';

function filled(free: bigint): Purse {
  const purse = new Purse('ann', 'process');
  purse.receive({ leased: 0n, free: 0n }, { leased: free, free });
  return purse;
}

const parts = ({ leased, free, held }: Purse) => [leased, free, held];

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

test('what is spent stays set aside until it is booked', () => {
  const purse = filled(100n);
  purse.take(60n);
  purse.release(60n, 20n);
  expect(parts(purse)).toEqual([100n, 80n, 0n]);
  purse.booked(20n);
  expect(parts(purse)).toEqual([80n, 80n, 0n]);
});

test.each([
  ['holding more than is free', (purse: Purse) => purse.take(51n)],
  ['holding less than nothing', (purse: Purse) => purse.take(-1n)],
  ['releasing more than is held', (purse: Purse) => purse.release(51n, 0n)],
  ['spending more than is held', (purse: Purse) => purse.release(50n, 51n)],
  ['booking what is still held', (purse: Purse) => purse.booked(1n)],
])('%s breaks a rule and changes nothing', (_what, act) => {
  const purse = filled(100n);
  purse.take(50n);
  expect(() => act(purse)).toThrow(BrokenRule);
  expect(parts(purse)).toEqual([100n, 50n, 50n]);
});

test('those who wait are served in order; only who cannot be paid is passed', () => {
  const purse = filled(0n);
  const [large, small, tiny] = [waiter(60n), waiter(10n), waiter(5n)];
  purse.waiting.push(large, small, tiny);
  purse.receive({ leased: 0n, free: 0n }, { leased: 30n, free: 30n });
  purse.serve();
  expect([large, small, tiny].map(({ isGranted }) => isGranted)).toEqual([false, false, false]);
  large.isShort = true;
  purse.serve();
  expect([large, small, tiny].map(({ isGranted }) => isGranted)).toEqual([false, true, true]);
  expect(purse.waiting).toEqual([large]);
});

test('what was offered cannot be promised, and is found again if nobody knows what became of it', () => {
  const purse = filled(100n);
  purse.take(30n);
  expect(purse.offer()).toBe(70n);
  expect(() => purse.take(1n)).toThrow(BrokenRule);
  purse.doubt(70n);
  expect([purse.isUncertain, ...parts(purse)]).toEqual([true, 30n, 0n, 30n]);
});

test('a closed purse serves nobody, and takes what is left of its holds', () => {
  const purse = filled(100n);
  purse.take(60n);
  purse.isClosed = true;
  purse.waiting.push(waiter(10n));
  purse.release(60n, 10n);
  purse.serve();
  expect(purse.waiting).toHaveLength(1);
});

test('whatever happens in whatever order, no rule is broken and nothing is lost', () => {
  const amount = fc.bigInt({ min: 0n, max: 50n });
  const step = fc.record({ act: fc.constantFrom('take', 'over', 'book', 'lease', 'back'), amount });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const purse = filled(0n);
      const [holds, owed] = [new Array<bigint>(), new Array<bigint>()];
      for (const each of steps) {
        if (each.act === 'take' && each.amount <= purse.free) {
          purse.take(each.amount);
          holds.push(each.amount);
        } else if (each.act === 'over' && holds.length > 0) {
          const hold = holds.shift() ?? 0n;
          const spent = each.amount < hold ? each.amount : hold;
          purse.release(hold, spent);
          owed.push(spent);
        } else if (each.act === 'book' && owed.length > 0) purse.booked(owed.shift() ?? 0n);
        else if (each.act === 'lease' || each.act === 'back') {
          const before = { leased: purse.leased, free: purse.offer() };
          const free = each.act === 'lease' ? before.free + each.amount : 0n;
          purse.receive(before, { leased: before.leased + free - before.free, free });
        }
        const sum = [...holds, ...owed].reduce((total, one) => total + one, purse.free);
        expect(sum).toBe(purse.leased);
      }
    }),
  );
});
