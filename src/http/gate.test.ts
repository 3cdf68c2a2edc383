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
  let room = 0;
  const gate = new Gate(() => room);
  const passed: string[] = [];
  gate.enter(() => void passed.push('first'));
  room = 1;
  gate.enter(() => void passed.push('second'));
  expect(passed).toEqual([]);
  gate.relieve();
  expect(passed).toEqual(['first', 'second']);
});

test('parties are admitted in turn, however many entries each has, and each entry exactly once', () => {
  const arrivals = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 });
  fc.assert(
    fc.property(arrivals, (parties) => {
      let room = 0;
      const gate = new Gate(() => room);
      const passed: string[] = [];
      for (const party of parties) gate.enter(() => void passed.push(party), party);
      room = 1;
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
  let room = 0;
  const gate = new Gate(() => room);
  let passed = 0;
  for (let count = 0; count < 1000; count += 1) gate.enter(() => void (passed += 1));
  room = 1;
  const rounds = [1, 2, 3].map(() => {
    const before = passed;
    gate.relieve();
    return passed - before;
  });
  expect(rounds).toEqual([64, 128, 256]);
  room = 0;
  gate.relieve();
  room = 1;
  const before = passed;
  gate.relieve();
  expect(passed - before).toBe(64);
});

test('the gate admits no more entries than there is capacity', () => {
  let room = 0;
  const gate = new Gate(() => room);
  for (let count = 0; count < 10; count += 1) gate.enter(() => void (room -= 1));
  room = 3;
  gate.relieve();
  expect([room, gate.waiting]).toEqual([0, 7]);
});
