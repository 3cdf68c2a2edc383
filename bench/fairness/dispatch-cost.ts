import type { Discipline } from './simulation.ts';

const accountCount = 10_000;
const rounds = 300_000;

/** Microseconds for one request to enter, get its slot and leave while each of 10,000 accounts waits. */
export function dispatchCostMicros(queue: Discipline): number {
  const demand = (index: number) => ({
    accountId: `account ${index % accountCount}`,
    keyId: 'key',
    weight: 1 + (index % 4),
    cost: 1 + ((index * 7919) % 1000),
    bytes: 1,
  });
  for (let i = 0; i < 2 * accountCount; i++) queue.enter(demand(i));
  const turns = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const ticket = queue.next(64);
      if (!ticket) throw new Error('the queue returned no request although thousands wait');
      queue.leave(ticket, (i * 104_729) % 1000);
      queue.enter(demand(i));
    }
  };
  turns(rounds / 10);
  const before = performance.now();
  turns(rounds);
  return ((performance.now() - before) * 1000) / rounds;
}
