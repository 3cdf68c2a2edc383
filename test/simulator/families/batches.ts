import { between, oneOf } from '../../crash/random.ts';
import type { BatchPlan } from '../scenario.ts';
import type { Plan } from '../plan.ts';
import type { Disaster, Family, Life } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { conductOf, disastersOf } from './leases.ts';

const durationMs = 60_000;
const largest = 1000;
const accounts = ['ann', 'ben', 'cyd'];
export const calm = { latencyMs: 2, failureShare: 0, lostReplyShare: 0 };

/** More accounts than seats, one of them with many batches. */
const crowd = ['ann', 'ben', 'cyd', 'dan', 'eve', 'fay'];
const crowdedMs = { from: 4000, until: 16_000 };

/**
 * Batches of several accounts at several gateways, next to interactive requests. Gateways die, or stop for longer than
 * their leases, while they check lines, run them or write files. Clients cancel, and balances end.
 */
export const batches: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const isPoor = random() < 0.2;
  return {
    ...usualParts(world, gateways, isPoor),
    plans: Array.from({ length: between(random, 0, 6) }, (_, index) => requestOf(world, index, gateways)),
    batches: {
      linesAtOnce: between(random, 2, 6),
      plans: Array.from({ length: between(random, 1, 5) }, (_, index) => batchOf(world, index, gateways)),
    },
    disasters: random() < 0.3 ? [] : allDisastersOf(world, gateways),
    mood: { ...calm, latencyMs: between(random, 0, 10) },
    conduct: () => conductOf(world),
  };
};

/** What all worlds with batches of several accounts at several gateways have. */
export function usualParts({ random }: World, gateways: number, isPoor = false) {
  return {
    gateways,
    sharesSlots: true,
    upstreams: [upstreamOf('u', between(random, 2, 12))],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: accounts.map((id) => ({ id, credit: BigInt(isPoor ? between(random, 1, 10) * largest : 10_000_000) })),
    waitMaxMs: 60_000,
    plans: [],
    durationMs,
    check: () => [],
  };
}

/** Every account has lines all the time, and each line takes a second. So all accounts get about as many calls. */
export const crowded: Family = ({ random }) => {
  const owners = [...Array.from({ length: between(random, 2, 8) }, () => 'ann'), ...crowd];
  return {
    gateways: 1,
    upstreams: [upstreamOf('u', 8)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: crowd.map((id) => ({ id, credit: 10_000_000n })),
    waitMaxMs: 60_000,
    plans: [],
    batches: {
      linesAtOnce: 3,
      plans: owners.map((accountId, index) => ({
        id: `b${index}`,
        atMs: 500 + index * 10,
        gateway: 0,
        accountId,
        lines: Array.from({ length: 12 }, () => ({ promptTokens: 10, maxTokens: 20 })),
      })),
    },
    disasters: [],
    mood: calm,
    conduct: () => ({ reportsUsageEarly: false, firstMs: 200, pieceMs: 80, pieces: 10 }),
    durationMs,
    check: checkTurns,
  };
};

function checkTurns({ lines }: Life): readonly string[] {
  const calls = lines.filter(({ atMs }) => atMs >= crowdedMs.from && atMs < crowdedMs.until);
  const counts = crowd.map((id) => calls.filter(({ accountId }) => accountId === id).length);
  const [most, least] = [Math.max(...counts), Math.min(...counts)];
  return least > 0 && most <= 2 * least + 2 ? [] : [`accounts with batches got ${counts.join(', ')} calls`];
}

export function batchOf({ random }: World, index: number, gateways: number): BatchPlan {
  return {
    id: `b${index}`,
    atMs: 500 + between(random, 0, 10_000),
    gateway: between(random, 0, gateways - 1),
    accountId: oneOf(random, accounts),
    lines: Array.from({ length: between(random, 1, 8) }, () => ({
      promptTokens: between(random, 100, largest / 2),
      maxTokens: between(random, 10, largest / 2),
    })),
    cancelAfterMs: random() < 0.15 ? between(random, 0, 15_000) : undefined,
  };
}

function requestOf({ random }: World, index: number, gateways: number): Plan & { readonly gateway: number } {
  return {
    id: `r${index}`,
    atMs: 1000 + between(random, 0, 40_000),
    gateway: between(random, 0, gateways - 1),
    accountId: oneOf(random, accounts),
    model: 'm',
    promptTokens: between(random, 1, largest / 2),
    maxTokens: between(random, 1, 100),
  };
}

/** Gateways that die or stop among their lines, and all faults of `disastersOf`. */
export function allDisastersOf(world: World, gateways: number): readonly Disaster[] {
  const { random } = world;
  const kills = Array.from({ length: between(random, 1, 4) }, (): readonly Disaster[] => {
    const gateway = between(random, 0, gateways - 1);
    const atMs = between(random, 1000, 25_000);
    if (random() < 0.4) return [{ atMs, kind: 'freeze', gateway, forMs: between(random, 1000, 50_000) }];
    return [
      { atMs, kind: 'kill', gateway },
      { atMs: atMs + between(random, 500, 10_000), kind: 'restart', gateway },
    ];
  });
  return [...kills.flat(), ...(random() < 0.3 ? disastersOf(world, gateways) : [])];
}
