import { between } from '../../crash/random.ts';
import type { Family, Life } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 40_000;
const serviceMs = 1000;

/**
 * Two models of one upstream that has enough slots. The provider refuses one model for 5 to 30 s. Requests for the
 * other model must not wait.
 */
export const models: Family = (world) => {
  const { random } = world;
  const cooldownMs = between(random, 2, 10) * 1000;
  const refusedFromMs = between(random, 0, 5000);
  const refusedUntilMs = refusedFromMs + between(random, 5000, 30_000);
  const count = between(random, 6, 20);
  return {
    gateways: between(random, 1, 2),
    upstreams: [upstreamOf('u', 2 * count + 2)],
    credentials: between(random, 1, 2),
    catalog: catalogOf({ busy: ['u'], quiet: ['u'] }),
    accounts: ['ann', 'bob'].map((id) => ({ id, credit: 1_000_000n })),
    waitMaxMs: 120_000,
    plans: Array.from({ length: 2 * count }, (_, index) => ({
      id: `r${index}`,
      atMs: between(random, 100, durationMs),
      gateway: 0,
      accountId: index % 2 === 0 ? 'ann' : 'bob',
      model: index % 2 === 0 ? 'busy' : 'quiet',
      promptTokens: 10,
      maxTokens: 20,
    })),
    disasters: [],
    mood: { latencyMs: 2, failureShare: 0, lostReplyShare: 0 },
    conduct: ({ model, atMs }) => ({
      reportsUsageEarly: false,
      firstMs: 100,
      pieceMs: (serviceMs - 200) / 10,
      pieces: 10,
      ...(model === 'busy' &&
        atMs >= refusedFromMs &&
        atMs < refusedUntilMs && { refuses: { status: 429, retryAfterMs: cooldownMs } }),
    }),
    durationMs,
    check: checkQuietModel,
  };
};

/** No request waits longer than an answer takes because the provider refuses the model of another account. */
function checkQuietModel({ calls, clients }: Life): readonly string[] {
  return clients.flatMap(({ plan, ending }) => {
    const first = calls.find(({ requestId }) => requestId === plan.id);
    const waitedMs = first ? first.atMs - plan.atMs : undefined;
    if (plan.model === 'quiet' && (waitedMs === undefined || waitedMs > serviceMs))
      return [`${plan.id} waited ${waitedMs} ms because another model was refused`];
    return ending === 'done' ? [] : [`${plan.id} should have been answered, but ended as ${ending}`];
  });
}
