import { between, oneOf } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { KeyTerms } from '../key-book.ts';
import type { Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { conductOf, disastersOf } from './leases.ts';

const durationMs = 60_000;
/** In this time zone, a new day begins in the middle of these worlds. */
export const timeZone = 'Etc/GMT-12';

/**
 * Accounts with more money than their keys may spend, served by several gateways. The limits of keys change, renew and
 * end during requests, with every fault that can happen between gateways.
 */
export const keys: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const largest = between(random, 1000, 10_000);
  return {
    gateways,
    upstreams: [upstreamOf('u', 50)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(largest * 100) }],
    keys: { ann: historyOf(world, largest) },
    waitMaxMs: 60_000,
    plans: Array.from({ length: between(random, 4, 24) }, (_, index) => planOf(world, index, { gateways, largest })),
    disasters: random() < 0.5 ? [] : disastersOf(world, gateways),
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs,
    check: () => [],
  };
};

/** The cap and the concurrency limit of a key, which change, renew and end. */
export function historyOf({ random }: World, largest: number): readonly KeyTerms[] {
  const isCapped = random() < 0.8;
  const isLimited = random() < 0.6;
  const renewal = random() < 0.5 ? { period: 'day' as const, timeZone } : undefined;
  const expiresMs = random() < 0.15 ? between(random, 5000, durationMs) : undefined;
  const terms = (fromMs: number): KeyTerms => ({
    fromMs,
    cap: isCapped ? { amount: BigInt(between(random, Math.ceil(largest / 4), 2 * largest)), renewal } : undefined,
    max: isLimited ? between(random, 1, 4) : undefined,
    expiresMs,
  });
  const changes = oneOf(random, [0, 0, 1, 3]);
  const times = Array.from({ length: changes }, () => between(random, 1000, durationMs));
  return [0, ...times.toSorted((one, other) => one - other)].map(terms);
}

function planOf(
  { random }: World,
  index: number,
  { gateways, largest }: { gateways: number; largest: number },
): Plan & { gateway: number } {
  // Most requests cost about as much as their hold, so that caps are spent and not only reserved.
  const isShort = random() < 0.7;
  return {
    id: `r${index}`,
    // In bursts, so that requests compete for the same limits.
    atMs: 1000 + between(random, 0, 9) * 5000 + between(random, 0, 50),
    gateway: between(random, 0, gateways - 1),
    accountId: 'ann',
    model: 'm',
    promptTokens: between(random, 1, Math.ceil(largest / 4)),
    maxTokens: between(random, 1, isShort ? 10 : largest),
    leavesAfterMs: random() < 0.25 ? between(random, 0, 3000) : undefined,
  };
}
