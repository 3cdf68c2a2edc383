import { between } from '../../crash/random.ts';
import type { Family } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 60_000;
const burstAtMs = 1000;
const [firstMs, pieceMs, pieces] = [20, 5, 3];

/**
 * Several answers of one process end together, so that its journal acknowledges their charges. The process dies before
 * the store has them, and never restarts. Another process of the machine reaps it, and would spend the money of these
 * charges.
 */
export const promised: Family = ({ random }) => {
  const largest = between(random, 100, 1000);
  const burst = Array.from({ length: between(random, 3, 8) }, () => ({ atMs: burstAtMs, gateway: 0 }));
  const others = Array.from({ length: between(random, 10, 40) }, () => ({
    atMs: between(random, 25_000, 55_000),
    gateway: 1,
  }));
  return {
    gateways: 2,
    isOneMachine: true,
    upstreams: [upstreamOf('u', 50)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(largest * between(random, 10, 20)) }],
    waitMaxMs: 60_000,
    plans: [...burst, ...others].map((plan, index) => ({
      ...plan,
      id: `r${index}`,
      accountId: 'ann',
      model: 'm',
      promptTokens: between(random, 1, largest / 10),
      maxTokens: between(random, 1, largest),
      leavesAfterMs: undefined,
    })),
    disasters: [{ atMs: burstAtMs + firstMs + between(random, 10, 60), kind: 'kill', gateway: 0 }],
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => ({ reportsUsageEarly: false, firstMs, pieceMs, pieces }),
    durationMs,
    check: () => [],
  };
};
