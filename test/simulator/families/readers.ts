import { between } from '../../crash/random.ts';
import type { Family, Life } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 90_000;
const serviceMs = 1000;

/**
 * Two accounts. Clients of the first stop reading without leaving; there are at least as many of them as slots. The
 * second account sends a single request now and then.
 */
export const readers: Family = (world) => {
  const { random } = world;
  const slots = between(random, 2, 16);
  const stalled = between(random, slots, 3 * slots);
  const light = between(random, 3, 8);
  return {
    gateways: 1,
    upstreams: [upstreamOf('u', slots)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: ['hog', 'ann'].map((id) => ({ id, credit: 1_000_000n })),
    waitMaxMs: 600_000,
    plans: [
      // Another account comes first, so that the hog is not the only account.
      { id: 'r0', atMs: 100, gateway: 0, accountId: 'ann', model: 'm', promptTokens: 10, maxTokens: 40 },
      ...Array.from({ length: stalled }, (_, index) => ({
        id: `r${index + 1}`,
        atMs: 1500 + between(random, 0, 500),
        gateway: 0,
        accountId: 'hog',
        model: 'm',
        promptTokens: 10,
        maxTokens: 40,
        stopsReadingAfter: between(random, 1, 5),
      })),
      ...Array.from({ length: light }, (_, index) => ({
        id: `r${stalled + index + 1}`,
        atMs: 5000 + index * Math.floor(80_000 / light),
        gateway: 0,
        accountId: 'ann',
        model: 'm',
        promptTokens: 10,
        maxTokens: 40,
      })),
    ],
    disasters: [],
    mood: { latencyMs: 2, failureShare: 0, lostReplyShare: 0 },
    conduct: () => ({ reportsUsageEarly: false, firstMs: 200, pieceMs: (serviceMs - 200) / 20, pieces: 20 }),
    durationMs,
    check: checkLightAccount,
  };
};

function checkLightAccount({ calls, clients }: Life): readonly string[] {
  return clients.flatMap(({ plan, ending }) => {
    const first = calls.find(({ requestId }) => requestId === plan.id);
    if (plan.accountId !== 'ann')
      return ending === undefined ? [`${plan.id} stopped reading and was never disconnected`] : [];
    const waitedMs = first ? first.atMs - plan.atMs : undefined;
    return waitedMs !== undefined && waitedMs <= serviceMs && ending === 'done'
      ? []
      : [`${plan.id} waited ${waitedMs} ms behind clients that do not read`];
  });
}
