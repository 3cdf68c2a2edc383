import { between, oneOf } from '../../crash/random.ts';
import type { Disaster, Family, Scenario } from '../scenario.ts';
import type { World } from '../world.ts';
import { allDisastersOf, batchOf, calm, usualParts } from './batches.ts';
import { upstreamOf } from './catalog.ts';
import { conductOf } from './leases.ts';

const linesMax = 4;

/** Clients of few accounts create batches beside each other, at quotas that the first of them use up. */
export const quotas: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const count = between(random, 6, 14);
  return {
    ...usualParts(world, gateways),
    upstreams: [upstreamOf('u', 8)],
    batches: {
      linesAtOnce: between(random, 2, 6),
      quota: {
        accountBatchesMax: between(random, 1, 3),
        accountLinesMax: between(random, linesMax, 2 * linesMax),
        accountFilesMax: between(random, 2, count),
      },
      plans: Array.from({ length: count }, (_, index) => batchOf(world, index, gateways)).map((plan) => ({
        ...plan,
        lines: plan.lines.slice(0, linesMax),
        accountId: oneOf(random, ['ann', 'ben']),
        atMs: 500 + between(random, 0, 10),
      })),
    },
    disasters: random() < 0.7 ? [] : allDisastersOf(world, gateways),
    mood: { ...calm, latencyMs: between(random, 0, 10) },
    conduct: () => conductOf(world),
  };
};

/**
 * Checks and ends that fail: blobs of input files or of answers cannot be decrypted, for a time or for ever, or the store
 * fails, or refuses the end. Clients cancel meanwhile, and the time of batches ends.
 */
export const unchecked: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 2);
  const fate = random();
  return {
    ...usualParts(world, gateways),
    batches: {
      linesAtOnce: between(random, 2, 6),
      plans: Array.from({ length: between(random, 2, 5) }, (_, index) => ({
        ...batchOf(world, index, gateways),
        cancelAfterMs: random() < 0.2 ? between(random, 0, 40_000) : undefined,
        windowMs: random() < 0.2 ? between(random, 1000, 40_000) : undefined,
      })),
    },
    ...(fate < 0.15 ? corruptForEver : corruptFor(world, fate < 0.6)),
    conduct: () => conductOf(world),
  };
};

/** The last attempt is after about 14 minutes. */
const corruptForEver: Pick<Scenario, 'mood' | 'disasters' | 'durationMs'> = {
  mood: { ...calm, corrupts: 'files' },
  disasters: [],
  durationMs: 820_000,
};

function corruptFor({ random }: World, isInput: boolean): Pick<Scenario, 'mood' | 'disasters'> {
  const until = { atMs: between(random, 12_000, 50_000), kind: 'store', mood: calm } as const;
  if (isInput) return { mood: { ...calm, corrupts: 'files' }, disasters: [until] };
  const fault = random() < 0.5 ? ({ corrupts: 'batch_lines' } as const) : { refuses: 'delete from "batch_lines"' };
  const from = { atMs: between(random, 500, 5000), kind: 'store', mood: { ...calm, ...fault } } as const;
  const fails = { ...calm, failureShare: random() * 0.5, lostReplyShare: random() * 0.2 };
  const failing: Disaster = { atMs: until.atMs - 5000, kind: 'store', mood: fails };
  return { mood: calm, disasters: random() < 0.7 ? [from, until] : [from, failing, until] };
}
