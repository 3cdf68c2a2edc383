import { systemClock } from '../../src/core/time/clock.ts';
import { QueueLimit } from '../../src/serving/routing/fair-queue/queue-limit.ts';
import { UpstreamQueue } from '../../src/serving/routing/queue/upstream-queue.ts';
import type { Micro } from './measure.ts';

const queueLimit = new QueueLimit(() => ({ requests: 1000, bytes: 1e9 }));
const queue = new UpstreamQueue({ clock: systemClock, queueLimit, max: 64 });
const demand = { accountId: 'ann', keyId: 'key', weight: 1, cost: 500, bytes: 400 };
const counts = new Map([['ann', 0]]);

/** A request takes a free slot and returns it. */
export const admitMicros: readonly Micro[] = [
  {
    name: 'take a slot and return it',
    floorName: 'increment and decrement a count by account',
    work: () => queue.tryEnter(demand)?.release(600),
    floor: () => {
      counts.set('ann', (counts.get('ann') ?? 0) + 1);
      return counts.set('ann', (counts.get('ann') ?? 0) - 1);
    },
  },
];
