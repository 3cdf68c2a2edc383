import { between } from '../../crash/random.ts';
import type { Family } from '../scenario.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

/** The hold for a prompt of one token and for the tokens that a provider may add around it. */
const aroundTokens = 516;

const crowdAtMs = 5000;
/** Shorter than the wait of requests that the balance cannot cover. */
const smallWaitMaxMs = 1400;

/**
 * One gateway holds nearly all the money of an account for a long answer. At another gateway, many requests come at
 * once that each need more than is left, and one that needs little. All of them must get their result in the time of
 * one recall. The small request must not wait behind those that the balance cannot cover.
 */
export const poor: Family = (world) => {
  const { random } = world;
  const left = between(random, 600, 2000);
  const crowd = between(random, 8, 20);
  const richTokens = 5000;
  return {
    gateways: 2,
    upstreams: [upstreamOf('u', 60)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: BigInt(richTokens + aroundTokens + left) }],
    waitMaxMs: 60_000,
    plans: [
      { id: 'r0', atMs: 1000, gateway: 0, accountId: 'ann', model: 'm', promptTokens: 1, maxTokens: richTokens },
      ...Array.from({ length: crowd }, (_, index) => ({
        id: `r${index + 1}`,
        atMs: crowdAtMs + between(random, 0, 20),
        gateway: 1,
        accountId: 'ann',
        model: 'm',
        promptTokens: 1,
        maxTokens: index === crowd - 1 ? 1 : left + between(random, 1, 100),
      })),
    ],
    disasters: [],
    mood: { latencyMs: between(random, 0, 10), failureShare: 0, lostReplyShare: 0 },
    conduct: ({ requestId }) => ({
      reportsUsageEarly: true,
      firstMs: 200,
      pieceMs: requestId === 'r0' ? 1000 : 50,
      pieces: requestId === 'r0' ? 40 : 1,
    }),
    durationMs: 45_000,
    check: ({ calls }) => {
      const cheap = calls.find(({ requestId }) => requestId === `r${crowd}`);
      const waitedMs = cheap && cheap.atMs - crowdAtMs;
      return waitedMs !== undefined && waitedMs < smallWaitMaxMs
        ? []
        : [`r${crowd} needed little and waited ${waitedMs} ms behind requests that the balance cannot cover`];
    },
  };
};
