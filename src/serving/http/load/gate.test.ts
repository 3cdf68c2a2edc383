import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Gate } from './gate.ts';

test('an open gate admits every entry at once', () => {
  const gate = new Gate(() => 1);
  let passed = 0;
  for (let count = 0; count < 5; count += 1) gate.enter(() => void (passed += 1));
  expect([passed, gate.waiting]).toEqual([5, 0]);
});

test('a new entry queues behind waiting ones, even when there is capacity again', () => {
  let capacity = 0;
  const gate = new Gate(() => capacity);
  const passed: string[] = [];
  gate.enter(() => void passed.push('first'));
  capacity = 1;
  gate.enter(() => void passed.push('second'));
  expect(passed).toEqual([]);
  gate.relieve();
  expect(passed).toEqual(['first', 'second']);
});

test('parties are admitted in turn, however many entries each has, and each entry exactly once', () => {
  const arrivals = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 });
  fc.assert(
    fc.property(arrivals, (parties) => {
      let capacity = 0;
      const gate = new Gate(() => capacity);
      const passed: string[] = [];
      for (const party of parties) gate.enter(() => void passed.push(party), party);
      capacity = 1;
      for (let rounds = 0; gate.waiting > 0 && rounds < 10; rounds += 1) gate.relieve();
      expect(passed.toSorted()).toEqual(parties.toSorted());
      const left = new Map(['a', 'b', 'c'].map((party) => [party, parties.filter((one) => one === party).length]));
      for (const [index, party] of passed.entries()) {
        const others = [...left].filter(([other, count]) => other !== party && count > 0);
        const sinceLast = new Set(passed.slice(passed.lastIndexOf(party, index - 1) + 1, index));
        if (passed.slice(0, index).includes(party)) for (const [other] of others) expect(sinceLast).toContain(other);
        left.set(party, left.get(party)! - 1);
      }
    }),
  );
});

test('after a closure each round is twice as large as the last, and a new closure resets the size', () => {
  let capacity = 0;
  const gate = new Gate(() => capacity);
  let passed = 0;
  for (let count = 0; count < 1000; count += 1) gate.enter(() => void (passed += 1));
  capacity = 1;
  const rounds = [1, 2, 3].map(() => {
    const before = passed;
    gate.relieve();
    return passed - before;
  });
  expect(rounds).toEqual([64, 128, 256]);
  capacity = 0;
  gate.relieve();
  capacity = 1;
  const before = passed;
  gate.relieve();
  expect(passed - before).toBe(64);
});

test('the gate admits no more entries than there is capacity', () => {
  let capacity = 0;
  const gate = new Gate(() => capacity);
  for (let count = 0; count < 10; count += 1) gate.enter(() => void (capacity -= 1));
  capacity = 3;
  gate.relieve();
  expect([capacity, gate.waiting]).toEqual([0, 7]);
});
