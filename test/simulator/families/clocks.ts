import { between } from '../../crash/random.ts';
import type { Disaster, Family } from '../scenario.ts';
import { batchOf, calm, usualParts } from './batches.ts';
import { conductOf } from './leases.ts';

const dayMs = 24 * 3_600_000;

/**
 * The wall clock of one gateway is days ahead of the others and of the store, or behind. It
 * does the clean-up, and deletes, expires and claims nothing of any gateway early.
 */
export const clocks: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 2, 3);
  const wrong = between(random, 0, gateways - 1);
  const byMs = between(random, 1, 5) * dayMs * (random() < 0.7 ? 1 : -1);
  const disasters: readonly Disaster[] = [
    { atMs: 100, kind: 'clock', gateway: wrong, byMs },
    ...[5000, 10_000, 20_000, 40_000].map((atMs) => ({ atMs, kind: 'clean', gateway: wrong }) as const),
  ];
  return {
    ...usualParts(world, gateways),
    isOneMachine: false,
    batches: {
      linesAtOnce: between(random, 1, 4),
      keepMs: dayMs,
      plans: Array.from({ length: between(random, 2, 6) }, (_, index) => ({
        ...batchOf(world, index, gateways),
        inputMs: random() < 0.5 ? dayMs : undefined,
        uploadMs: random() < 0.5 ? between(random, 1000, 10_000) : undefined,
      })),
    },
    disasters,
    mood: { ...calm, latencyMs: between(random, 0, 10) },
    conduct: () => conductOf(world),
  };
};
