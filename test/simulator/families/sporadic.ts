import { between, oneOf } from '../../crash/random.ts';
import type { Family, Life } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 40_000;
const serviceMs = 1000;

/** The share of the possible answers that an upstream must complete while it refuses a few calls at random. */
const throughputMin = 0.75;

/** An upstream under full load that refuses a few calls at random. It must go on at nearly full speed. */
export const sporadic: Family = (world) => {
  const { random } = world;
  const slots = between(random, 4, 8);
  const refusedShare = oneOf(random, [0.02, 0.05, 0.1]);
  // 10 % more than the upstream can answer, so that it is always busy.
  const count = Math.ceil((1.1 * slots * durationMs) / serviceMs);
  return {
    gateways: 1,
    upstreams: [upstreamOf('u', slots)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: ['ann', 'bob', 'eve'].map((id) => ({ id, credit: 1_000_000_000n })),
    waitMaxMs: 600_000,
    plans: Array.from({ length: count }, (_, index) => ({
      id: `r${index}`,
      atMs: (index * durationMs) / count,
      gateway: 0,
      accountId: oneOf(random, ['ann', 'bob', 'eve']),
      model: 'm',
      promptTokens: 10,
      maxTokens: 20,
    })),
    disasters: [],
    mood: { latencyMs: 0, failureShare: 0, lostReplyShare: 0 },
    conduct: () => ({
      reportsUsageEarly: false,
      firstMs: serviceMs / 2,
      pieceMs: serviceMs / 4,
      pieces: 2,
      ...(random() < refusedShare && { refuses: { status: 429, retryAfterMs: oneOf(random, [1000, undefined]) } }),
    }),
    durationMs,
    check: ({ calls }: Life) => {
      const done = calls.filter(
        ({ endedMs, outcome }) => outcome === 'complete' && (endedMs ?? 0) <= durationMs,
      ).length;
      const possible = (slots * durationMs) / serviceMs;
      return done >= throughputMin * possible
        ? []
        : [`${done} of ${possible} answers were completed while a share of ${refusedShare} of the calls was refused`];
    },
  };
};
