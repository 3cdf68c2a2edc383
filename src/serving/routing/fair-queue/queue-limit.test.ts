import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QueueEntry, QueueLimit } from './queue-limit.ts';

function fixture(requests: number, bytes = 1_000_000) {
  const queueLimit = new QueueLimit(() => ({ requests, bytes }));
  const sentAway: string[] = [];
  const enter = (accountId: string, name = accountId, size = 1): QueueEntry | undefined =>
    queueLimit.enter({ accountId, bytes: size, sendAway: () => void sentAway.push(name) });
  return { queueLimit, sentAway, enter };
}

test('when the queue limit is reached, the newest request of the largest account is rejected', () => {
  const { sentAway, enter } = fixture(100);
  for (let i = 0; i < 100; i++) enter('hog', `hog ${i}`);
  expect(enter('light')).toBeDefined();
  expect(enter('another')).toBeDefined();
  expect(sentAway).toEqual(['hog 99', 'hog 98']);
});

test('a new request of the largest account is rejected, and no other request instead of it', () => {
  const { queueLimit, sentAway, enter } = fixture(100);
  for (let i = 0; i < 100; i++) enter('hog', `hog ${i}`);
  expect(enter('hog')).toBeUndefined();
  expect([queueLimit.requests, sentAway]).toEqual([100, []]);
});

test('while others wait, an account may have a quarter of the queue limit', () => {
  const { queueLimit, sentAway, enter } = fixture(100);
  enter('light');
  const queueEntries = Array.from({ length: 40 }, () => enter('hog')).filter(Boolean);
  expect(queueEntries).toHaveLength(25);
  expect([queueLimit.requests, sentAway]).toEqual([26, []]);
});

test('the limit on bytes rejects requests of the account with the largest bodies', () => {
  const { queueLimit, sentAway, enter } = fixture(1000, 1000);
  for (let i = 0; i < 10; i++) enter('large', `large ${i}`, 100);
  enter('small', 'small', 50);
  expect([queueLimit.bytes, sentAway]).toEqual([950, ['large 9']]);
});

test('the only request of an account is accepted, even if it is large', () => {
  const { enter } = fixture(1000, 1000);
  enter('small', 'small', 10);
  expect(enter('large', 'large', 600)).toBeDefined();
});

test('a returning request is accepted, and does not count as the newest', () => {
  const { queueLimit, sentAway, enter } = fixture(100);
  for (let i = 0; i < 100; i++) enter('hog', `hog ${i}`);
  queueLimit.returnTo({ accountId: 'hog', bytes: 1, sendAway: () => void sentAway.push('returned') });
  expect([queueLimit.requests, sentAway]).toEqual([101, []]);
  enter('light');
  expect(sentAway).toEqual(['hog 99', 'hog 98']);
});

test('after any sequence of requests the limits hold, and no entry is left over', () => {
  const step = fc.tuple(fc.boolean(), fc.nat({ max: 6 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queueLimit = new QueueLimit(() => ({ requests: 20, bytes: 200 }));
      const queueEntries = new Set<QueueEntry>();
      for (const [isArrival, draw, bytes] of steps) {
        if (isArrival) {
          const holder: { queueEntry?: QueueEntry } = {};
          const queueEntry = queueLimit.enter({
            accountId: `${draw}`,
            bytes,
            sendAway: () => void queueEntries.delete(holder.queueEntry!),
          });
          holder.queueEntry = queueEntry;
          if (queueEntry) queueEntries.add(queueEntry);
        } else {
          const queueEntry = [...queueEntries][draw];
          if (queueEntry) queueLimit.leave(queueEntry);
          if (queueEntry) queueEntries.delete(queueEntry);
        }
        expect(queueLimit.requests).toBe(queueEntries.size);
        expect(queueLimit.requests).toBeLessThanOrEqual(20);
        expect(queueLimit.bytes).toBeLessThanOrEqual(200);
      }
      for (const queueEntry of queueEntries) queueLimit.leave(queueEntry);
      expect([queueLimit.requests, queueLimit.bytes]).toEqual([0, 0]);
    }),
  );
});
