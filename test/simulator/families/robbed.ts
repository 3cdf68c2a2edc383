import { between } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { retried } from './retried.ts';

const durationMs = 90_000;
/** A process expires after this time without a heartbeat. */
const expiryMs = 30_000;

interface Course {
  readonly credit: number;
  readonly frozenAtMs: number;
  readonly backAtMs: number;
}

/**
 * A gateway freezes for longer than a process takes to expire. When it comes back, its fast-path answers are in any
 * phase, and a peer holds the money that was reserved for them.
 */
export const robbed: Family = (world) => {
  const { random } = world;
  const frozenAtMs = between(random, 1500, 6000);
  const forMs = expiryMs + between(random, 5000, 15_000);
  const course = { credit: between(random, 20_000, 100_000), frozenAtMs, backAtMs: frozenAtMs + forMs };
  return {
    gateways: 2,
    upstreams: [upstreamOf('u', 50)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(course.credit) }],
    waitMaxMs: 60_000,
    timing: { holdHeadersMs: between(random, 50, 60_000), keepAliveEveryMs: between(random, 50, 10_000) },
    plans: plansOf(world, course),
    disasters: [{ atMs: frozenAtMs, kind: 'freeze', gateway: 0, forMs }],
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: ({ gateway }) => ({
      reportsUsageEarly: random() < 0.5,
      firstMs: random() < 0.3 ? between(random, forMs - 2000, forMs + 10_000) : between(random, 5, 500),
      pieceMs: gateway.startsWith('g0') ? between(random, 1, Math.floor(forMs / 2)) : between(random, 2000, 8000),
      pieces: between(random, 2, 3),
      hurriesFrom: random() < 0.3 ? between(random, 0, 2) : undefined,
    }),
    durationMs,
    check: () => [],
  };
};

/** Requests before the freeze, and requests at the peer that hold all the money when the gateway comes back. */
function plansOf(world: World, { credit, frozenAtMs, backAtMs }: Course): readonly (Plan & { gateway: number })[] {
  const { random } = world;
  const request = { accountId: 'ann', model: 'm', promptTokens: between(random, 1, Math.floor(credit / 20)) };
  // Makes the gateway lease money, so that later requests take the fast path.
  const plans: (Plan & { gateway: number })[] = [
    { ...request, id: 'r0', atMs: 100, gateway: 0, maxTokens: Math.floor(credit / 3) },
  ];
  for (let count = between(random, 3, 8); count > 0; count -= 1) {
    const atMs = between(random, 1000, frozenAtMs);
    const maxTokens = between(random, 1, Math.floor(credit / 20));
    plans.push(...retried(world, { ...request, atMs, gateway: 0, maxTokens }, plans.length));
  }
  for (let count = between(random, 8, 16); count > 0; count -= 1) {
    const atMs = backAtMs - between(random, 0, 4000);
    const maxTokens = Math.floor(credit / between(random, 6, 20));
    plans.push({ ...request, id: `r${plans.length}`, atMs, gateway: 1, maxTokens });
  }
  return plans;
}
