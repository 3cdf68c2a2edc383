import { between } from '../../crash/random.ts';
import type { BatchPlan } from '../scenario.ts';
import type { Disaster, Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { allDisastersOf, batchOf, calm, usualParts } from './batches.ts';
import { conductOf } from './leases.ts';

const dayMs = 24 * 3_600_000;
const restartMs = 30_000;

/** Batches whose time ends while their lines are checked, wait or run. Paid lines are delivered, the others expire. */
export const expiring: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  return {
    ...usualParts(world, gateways),
    durationMs: 30_000,
    batches: {
      linesAtOnce: between(random, 1, 4),
      plans: Array.from({ length: between(random, 2, 6) }, (_, index) => lateBatchOf(world, index, gateways)),
    },
    disasters: random() < 0.5 ? [] : allDisastersOf(world, gateways),
    mood: { ...calm, latencyMs: between(random, 0, 10) },
    conduct: () => conductOf(world),
  };
};

/** All gateways end among their lines, and no process runs for days. Then clean-up is due, and batches go on or expire. */
export const off: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const atMs = between(random, 3000, 15_000);
  const all = Array.from({ length: gateways }, (_, gateway) => gateway);
  const disasters: readonly Disaster[] = [
    ...all.map((gateway) => ({ atMs, kind: 'kill', gateway }) as const),
    { atMs: atMs + 1, kind: 'off', forMs: between(random, 1, 3 * 24 + 12) * 3_600_000 },
    ...all.map((gateway) => ({ atMs: restartMs + gateway, kind: 'restart', gateway }) as const),
  ];
  return {
    ...usualParts(world, gateways),
    batches: {
      linesAtOnce: between(random, 1, 4),
      keepMs: 4 * dayMs,
      plans: Array.from({ length: between(random, 2, 6) }, (_, index) => ({
        ...batchOf(world, index, gateways),
        inputMs: random() < 0.5 ? dayMs / 2 : undefined,
        windowMs: random() < 0.5 ? 5 * dayMs : undefined,
      })),
    },
    disasters,
    mood: { ...calm, latencyMs: between(random, 0, 10) },
    conduct: () => conductOf(world),
  };
};

function lateBatchOf(world: World, index: number, gateways: number): BatchPlan {
  return { ...batchOf(world, index, gateways), windowMs: between(world.random, 1, 15_000) };
}
