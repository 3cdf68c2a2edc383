import { between, oneOf } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { Conduct } from '../provider.ts';
import type { Disaster, Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { retried } from './retried.ts';

const durationMs = 25_000;
const accounts = ['ann', 'bob', 'cat'];

/**
 * Answers of the fast path, interrupted at any moment. Clients leave, stop reading for a while and retry. Keys are
 * revoked. Providers break off, time out or leave their bodies open. The store and the disk are slow.
 */
export const ends: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 2);
  const diskMs = oneOf(random, [1, 1, 50, 3000]);
  return {
    gateways,
    upstreams: [upstreamOf('u', oneOf(random, [3, 50]))],
    credentials: 1,
    timeouts: {
      firstEvent: between(random, 1000, 10_000),
      idle: between(random, 300, 5000),
      total: between(random, 3000, 30_000),
    },
    catalog: catalogOf({ m: ['u'] }),
    accounts: accounts.map((id) => ({ id, credit: 10_000_000n })),
    waitMaxMs: 60_000,
    timing: { holdHeadersMs: between(random, 50, 2000), keepAliveEveryMs: between(random, 50, 1000) },
    diskMs: () => 1 + random() * diskMs,
    plans: plansOf(world, gateways),
    disasters: [...revocationsOf(world), ...slowStoreOf(world)],
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs,
    check: () => [],
  };
};

function plansOf(world: World, gateways: number): readonly (Plan & { readonly gateway: number })[] {
  const { random } = world;
  const plans = warmUpsOf(accounts, gateways);
  for (let count = between(random, 6, 16); count > 0; count -= 1) {
    const request = {
      // Half of the requests come together, so that the journal acknowledges their charges.
      atMs: 1000 + (random() < 0.5 ? between(random, 0, 50) : between(random, 0, 15_000)),
      accountId: oneOf(random, accounts),
      gateway: between(random, 0, gateways - 1),
      model: 'm',
      promptTokens: between(random, 1, 1000),
      maxTokens: 1000,
    };
    plans.push(...retried(world, request, plans.length));
  }
  return plans;
}

/** One request for each account and gateway. It makes the gateway lease money, which the fast path needs. */
export function warmUpsOf(accountIds: readonly string[], gateways: number): (Plan & { readonly gateway: number })[] {
  return accountIds.flatMap((accountId, index) =>
    Array.from({ length: gateways }, (_, gateway) => ({
      id: `r${index * gateways + gateway}`,
      atMs: 100,
      accountId,
      gateway,
      model: 'm',
      promptTokens: 1,
      maxTokens: 50_000,
    })),
  );
}

function conductOf({ random }: World): Conduct {
  const pieces = oneOf(random, [0, 1, between(random, 2, 4), between(random, 2, 12)]);
  const usual = {
    reportsUsageEarly: random() < 0.5,
    firstMs: between(random, 5, oneOf(random, [50, 3000])),
    pieceMs: between(random, 1, oneOf(random, [20, 1000])),
    pieces,
    hurriesFrom: random() < 0.5 ? between(random, 0, pieces) : undefined,
    bodyEndMs: oneOf(random, [0, 0, between(random, 1, 900), between(random, 1100, 5000), Number.POSITIVE_INFINITY]),
  };
  const fate = random();
  if (fate < 0.05) return { ...usual, refuses: { status: oneOf(random, [500, 529, 401]) } };
  return fate < 0.25 ? { ...usual, breaksAfter: between(random, 0, pieces) } : usual;
}

/** Revoked keys. Each is valid again at once, so later requests are served. */
function revocationsOf({ random }: World): readonly Disaster[] {
  return Array.from({ length: between(random, 0, 4) }, () => ({
    atMs: 1000 + between(random, 0, oneOf(random, [500, 2000, 15_000])),
    kind: 'revoke',
    accountId: oneOf(random, accounts),
  }));
}

/** A store that is slow for a while: a call may take longer than any request waits for it. */
function slowStoreOf({ random }: World): readonly Disaster[] {
  const atMs = between(random, 1000, 10_000);
  if (random() < 0.4) return [];
  return [
    { atMs, kind: 'store', mood: { latencyMs: between(random, 200, 8000), failureShare: 0, lostReplyShare: 0 } },
    {
      atMs: atMs + between(random, 500, 8000),
      kind: 'store',
      mood: { latencyMs: 5, failureShare: 0, lostReplyShare: 0 },
    },
  ];
}
