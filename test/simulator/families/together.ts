import { between, oneOf } from '../../crash/random.ts';
import type { KeyTerms } from '../key-book.ts';
import type { Plan } from '../plan.ts';
import type { Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { checkSingleReply } from './named.ts';
import { conductOf, disastersOf } from './leases.ts';

const durationMs = 60_000;

/**
 * Everything that processes share, in one world: the slots of a small upstream by leases, a balance near its end, a key
 * with a cap, and retries at any gateway, with an `Idempotency-Key` or without. Gateways die and freeze, several at a
 * time.
 */
export const together: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 2, 3);
  const largest = between(random, 1000, 10_000);
  const disasters = [...disastersOf(world, gateways), ...freezesOf(world, gateways)];
  return {
    gateways,
    sharesSlots: true,
    sharesReplies: true,
    upstreams: [upstreamOf('u', between(random, 1, 8))],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: accounts.map((id) => ({ id, credit: BigInt(largest * between(random, 4, 40)) })),
    keys: { ann: termsOf(world, largest) },
    waitMaxMs: 60_000,
    plans: Array.from({ length: between(random, 6, 18) }, (_, index) =>
      requestWithRetry(world, index * 2, { gateways, largest }),
    ).flat(),
    disasters,
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs,
    // If the store fails, a gateway answers a retry without it.
    check: (life) => (disasters.some(({ kind }) => kind === 'store') ? [] : checkSingleReply(life)),
  };
};

const accounts = ['ann', 'ben', 'cyd'];

function termsOf({ random }: World, largest: number): readonly KeyTerms[] {
  const amount = BigInt(between(random, largest, 8 * largest));
  return [{ fromMs: 0, cap: random() < 0.7 ? { amount } : undefined, max: random() < 0.3 ? 2 : undefined }];
}

/** A request, and often its retry at any gateway, while the request runs or after its gateway is gone. */
function requestWithRetry(
  { random }: World,
  index: number,
  { gateways, largest }: { gateways: number; largest: number },
): readonly (Plan & { gateway: number })[] {
  const hasKey = random() < 0.5;
  const first = {
    id: `r${index}`,
    atMs: 1000 + between(random, 0, 9) * 5000 + between(random, 0, 50),
    gateway: between(random, 0, gateways - 1),
    accountId: oneOf(random, accounts),
    model: 'm',
    promptTokens: between(random, 1, Math.ceil(largest / 4)),
    maxTokens: between(random, 1, random() < 0.7 ? 10 : largest),
    leavesAfterMs: random() < 0.2 ? between(random, 0, 3000) : undefined,
    ...(hasKey ? { idempotencyKey: `name ${index}` } : { retryCount: 0 }),
  };
  if (random() < 0.5) return [first];
  const retry = {
    ...first,
    id: `r${index + 1}`,
    retryOf: first.id,
    ...(hasKey ? {} : { retryCount: 1 }),
    atMs: first.atMs + between(random, 0, oneOf(random, [100, 1000, 6000])),
    gateway: random() < 0.5 ? first.gateway : between(random, 0, gateways - 1),
  };
  return [first, retry];
}

/** Up to two gateways that freeze, maybe at the same time. */
function freezesOf({ random }: World, gateways: number) {
  return Array.from({ length: between(random, 0, 2) }, () => ({
    atMs: between(random, 500, durationMs),
    kind: 'freeze' as const,
    gateway: between(random, 0, gateways - 1),
    forMs: between(random, 1000, 40_000),
  }));
}
