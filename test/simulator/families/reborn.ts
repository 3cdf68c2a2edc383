import { between } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 90_000;
/** A process expires after this time without a heartbeat. */
const expiryMs = 30_000;

/**
 * A gateway holds much of a balance for long answers and freezes for longer than a process takes to expire. It comes
 * back while its answers still run. By then its leases belong to its peers.
 */
export const reborn: Family = (world) => {
  const { random } = world;
  const largest = between(random, 1000, 10_000);
  const frozenAtMs = between(random, 2000, 8000);
  const forMs = expiryMs + between(random, 0, 15_000);
  const backAtMs = frozenAtMs + forMs;
  const early = plansOf(world, { largest, gateway: 0, fromMs: 500, toMs: frozenAtMs });
  const others = plansOf(world, { largest, gateway: 1, fromMs: frozenAtMs, toMs: backAtMs + 10_000 });
  const late = plansOf(world, { largest, gateway: 0, fromMs: backAtMs, toMs: backAtMs + 10_000 });
  return {
    gateways: 2,
    upstreams: [upstreamOf('u', 50)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(largest * between(random, 2, 6)) }],
    waitMaxMs: 60_000,
    plans: [...early, ...others, ...late].map((plan, index) => ({ ...plan, id: `r${index}` })),
    disasters: [{ atMs: frozenAtMs, kind: 'freeze', gateway: 0, forMs }],
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => ({
      reportsUsageEarly: random() < 0.5,
      firstMs: between(random, 5, 2000),
      pieceMs: between(random, 100, 6000),
      pieces: between(random, 1, 10),
    }),
    durationMs,
    check: () => [],
  };
};

function plansOf(
  { random }: World,
  { largest, gateway, fromMs, toMs }: { largest: number; gateway: number; fromMs: number; toMs: number },
): readonly (Omit<Plan, 'id'> & { readonly gateway: number })[] {
  return Array.from({ length: between(random, 2, 6) }, () => ({
    atMs: between(random, fromMs, toMs),
    gateway,
    accountId: 'ann',
    model: 'm',
    promptTokens: between(random, 1, Math.ceil(largest / 8)),
    maxTokens: between(random, 1, largest),
    leavesAfterMs: random() < 0.1 ? between(random, 0, 30_000) : undefined,
  }));
}
