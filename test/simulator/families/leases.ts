import { between, oneOf } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { Conduct } from '../provider.ts';
import type { Disaster, Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 60_000;

/**
 * A balance near its end, shared by several gateways, with every fault that can happen between them. Clients leave,
 * gateways die or freeze, the store fails or loses replies, and providers report false usage.
 */
export const leases: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const largest = between(random, 1000, 10_000);
  return {
    gateways,
    upstreams: [upstreamOf('u', 50)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(largest * between(random, 2, 12)) }],
    waitMaxMs: 60_000,
    plans: Array.from({ length: between(random, 4, 24) }, (_, index) => planOf(world, index, { gateways, largest })),
    disasters: random() < 0.5 ? [] : disastersOf(world, gateways),
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs,
    check: () => [],
  };
};

function planOf(
  { random }: World,
  index: number,
  { gateways, largest }: { gateways: number; largest: number },
): Plan & { gateway: number } {
  const isSmall = random() < 0.3;
  return {
    id: `r${index}`,
    // In bursts, so that requests compete for the same money.
    atMs: 1000 + between(random, 0, 9) * 5000 + between(random, 0, 50),
    gateway: between(random, 0, gateways - 1),
    accountId: 'ann',
    model: 'm',
    promptTokens: between(random, 1, isSmall ? 2 : Math.ceil(largest / 8)),
    maxTokens: between(random, 1, isSmall ? 4 : largest),
    leavesAfterMs: random() < 0.25 ? between(random, 0, 3000) : undefined,
  };
}

/** Providers that answer, refuse, break off or report false usage. */
export function conductOf({ random }: World): Conduct {
  const pieces = between(random, 0, 10);
  const usual = {
    reportsUsageEarly: random() < 0.5,
    firstMs: between(random, 5, 2000),
    pieceMs: between(random, 1, 800),
    pieces,
  };
  const fate = random();
  if (fate < 0.05) return { ...usual, refuses: { status: oneOf(random, [500, 529, 401]) } };
  if (fate < 0.1) return { ...usual, breaksAfter: between(random, 0, pieces) };
  if (fate < 0.13) return { ...usual, exaggerates: between(random, 2, 5000) };
  return usual;
}

/** Gateways that die or freeze, and a store that fails or loses replies. */
export function disastersOf({ random }: World, gateways: number): readonly Disaster[] {
  const calm = { latencyMs: 5, failureShare: 0, lostReplyShare: 0 };
  return Array.from({ length: between(random, 1, 3) }, (): Disaster[] => {
    const atMs = between(random, 500, durationMs);
    const gateway = between(random, 0, gateways - 1);
    switch (between(random, 0, 2)) {
      case 0:
        return [
          { atMs, kind: 'kill', gateway },
          { atMs: atMs + between(random, 100, 20_000), kind: 'restart', gateway },
        ];
      case 1:
        // Shorter or longer than a process takes to expire.
        return [{ atMs, kind: 'freeze', gateway, forMs: between(random, 1000, 60_000) }];
      default:
        return [
          {
            atMs,
            kind: 'store',
            mood: { latencyMs: 500, failureShare: random() * 0.8, lostReplyShare: random() * 0.3 },
          },
          { atMs: atMs + between(random, 100, 10_000), kind: 'store', mood: calm },
        ];
    }
  }).flat();
}
