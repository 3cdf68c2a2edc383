import { between, oneOf } from '../../crash/random.ts';
import type { Client } from '../client.ts';
import type { Family, Life, Scenario } from '../scenario.ts';
import { checkOneGenerator, checkSharedReplies, checkSingleReply } from '../shared-replies.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';

const durationMs = 60_000;
/** The number of gateways that are killed. The last gateway runs to the end. */
const killedCount = 2;
/** After this time every dead process counts as gone, and the replies that peers took over have ended. */
const lateMs = 30_000;

/**
 * Clients that send an `Idempotency-Key` and retry at other gateways, some of which are killed. A reply whose end a
 * client received is the only one for its key. A dead process never counts as alive. A late retry is always answered.
 */
export const named: Family = (world) => {
  const { random } = world;
  return {
    ...namedReplies(world),
    disasters: Array.from({ length: killedCount }, (_, gateway) => {
      const atMs = 1000 + between(random, 0, 8000);
      return [
        { atMs, kind: 'kill' as const, gateway },
        { atMs: atMs + between(random, 500, 8000), kind: 'restart' as const, gateway },
      ];
    }).flat(),
    check: (life) => [...checkSharedReplies(life), ...checkLateRetries(life)],
  };
};

/**
 * The same clients, and gateways that live. The store stalls for some seconds when retries arrive, or fails calls. A
 * gateway that cannot read who generates a reply never generates it.
 */
export const stalled: Family = (world) => {
  const { random } = world;
  const atMs = 1000 + between(random, 0, 4000);
  const latencyMs = between(random, 3000, 20_000);
  const mood = { latencyMs, failureShare: oneOf(random, [0, 0, 0.5]), lostReplyShare: oneOf(random, [0, 0, 0.3]) };
  return {
    ...namedReplies(world),
    disasters: [
      { atMs, kind: 'store', mood },
      { atMs: atMs + between(random, 1000, 9000), kind: 'store', mood: calm },
    ],
    check: (life) => [...checkSingleReply(life), ...checkOneGenerator(life), ...checkLateRetries(life)],
  };
};

const calm = { latencyMs: 40, failureShare: 0, lostReplyShare: 0 };

function namedReplies(world: World): Omit<Scenario, 'disasters' | 'check'> {
  const { random } = world;
  const keyCount = between(random, 2, 5);
  const request = { accountId: 'ann', model: 'm', promptTokens: 10, maxTokens: 40 };
  let ids = 0;
  const plans = Array.from({ length: keyCount }, (_, index) => {
    const id = `r${++ids}`;
    const atMs = 1000 + between(random, 0, 2000);
    const first = { ...request, id, idempotencyKey: `name ${index}`, atMs, gateway: between(random, 0, killedCount) };
    const retries = Array.from({ length: between(random, 1, 6) }, () => ({
      ...first,
      id: `r${++ids}`,
      retryOf: id,
      atMs: atMs + between(random, 1, oneOf(random, [1000, 4000, 12_000])),
      gateway: between(random, 0, killedCount),
    }));
    return [first, ...retries, { ...first, id: `r${++ids}`, retryOf: id, atMs: atMs + lateMs, gateway: killedCount }];
  });
  return {
    gateways: killedCount + 1,
    sharesReplies: true,
    upstreams: [upstreamOf('u', 100)],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [{ id: 'ann', credit: 1_000_000n }],
    waitMaxMs: 600_000,
    // A retry receives nothing until its gateway knows whether the process that generates the reply is alive.
    timing: { holdHeadersMs: 60_000, keepAliveEveryMs: 60_000 },
    plans: plans.flat(),
    mood: calm,
    conduct: () => ({
      reportsUsageEarly: false,
      firstMs: between(random, 50, 1000),
      pieceMs: oneOf(random, [20, 100, 300]),
      pieces: between(random, 1, 20),
    }),
    durationMs,
  };
}

function checkLateRetries({ clients }: Life): readonly string[] {
  const isLate = ({ plan }: Client): boolean =>
    clients.some((first) => first.plan.id === plan.retryOf && first.plan.atMs + lateMs === plan.atMs);
  return clients
    .filter(isLate)
    .flatMap(({ plan, ending }) => (ending === 'done' ? [] : [`the late retry ${plan.id} ended as ${ending}`]));
}
