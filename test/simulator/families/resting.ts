import { between } from '../../crash/random.ts';
import type { Family } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

/** Longer than one cooldown of a model. */
const burstEveryMs = 3000;

/**
 * A model that refuses the first few calls of every burst and then has capacity. All requests then wait for the
 * cooldown, and nothing else happens. Only a timer starts them again, and no request may miss it.
 */
export const resting: Family = (world) => {
  const { random } = world;
  const bursts = between(random, 5, 10);
  const crowd = between(random, 1, 4);
  const durationMs = (bursts + 1) * burstEveryMs;
  const refusals = new Map<number, number>();
  return {
    gateways: 1,
    upstreams: [upstreamOf('u', 4)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: 1_000_000n }],
    waitMaxMs: 60_000,
    plans: Array.from({ length: bursts * crowd }, (_, index) => ({
      id: `r${index}`,
      atMs: 1000 + Math.floor(index / crowd) * burstEveryMs,
      gateway: 0,
      accountId: 'ann',
      model: 'm',
      promptTokens: 1,
      maxTokens: 2,
    })),
    disasters: [],
    mood: { latencyMs: 1, failureShare: 0, lostReplyShare: 0 },
    conduct: ({ atMs }) => {
      const burst = Math.floor((atMs - 1000) / burstEveryMs);
      const left = refusals.get(burst) ?? between(random, 2, 4);
      refusals.set(burst, left - 1);
      const usual = { reportsUsageEarly: false, firstMs: 5, pieceMs: 5, pieces: 1 };
      return left > 0 ? { ...usual, refuses: { status: 429, retryAfterMs: between(random, 0, 200) } } : usual;
    },
    durationMs,
    check: ({ clients }) =>
      clients.flatMap(({ plan, ending }) =>
        ending === 'done' ? [] : [`${plan.id} should have been answered, but ended as ${ending}`],
      ),
  };
};
