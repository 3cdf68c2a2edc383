import { between, oneOf } from '../../crash/random.ts';
import type { Conduct } from '../provider.ts';
import type { Family, Life } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { disastersOf } from './leases.ts';

const perToken = { first: 2, second: 3 };
const priceOf = (nano: number) => ({ input: `0.00${nano}`, output: `0.00${nano}` });

/** How often a model may be re-prompted. */
const attempts = 2;

/**
 * Models that violate the constraints of requests and are re-prompted. There are few slots, so a request that keeps its
 * slot blocks its own re-prompt. The balance often does not cover another prompt. Half of the worlds have a fallback
 * model, and half have the usual disasters.
 */
export const disobedient: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 2);
  const largest = between(random, 200, 2000);
  const jsonDelivery = oneOf(random, ['stream', 'whole']);
  const more = { tools: { attempts }, json_delivery: jsonDelivery };
  const fallbacks = random() < 0.5 ? [{ model: 'second' }] : [];
  return {
    gateways,
    upstreams: [upstreamOf('u', between(random, 1, 4)), upstreamOf('v', between(random, 1, 4))],
    credentials: 1,
    catalog: catalogOf(
      { first: ['u'], second: ['v'] },
      {
        first: { price: priceOf(perToken.first), ...more, fallbacks },
        second: { price: priceOf(perToken.second), ...more },
      },
    ),
    perToken,
    accounts: ['ann', 'bob'].map((id) => ({ id, credit: BigInt(largest * between(random, 6, 60)) })),
    waitMaxMs: between(random, 5000, 60_000),
    plans: Array.from({ length: between(random, 4, 14) }, (_, index) => ({
      id: `r${index}`,
      atMs: 1000 + between(random, 0, 9) * 5000 + between(random, 0, 50),
      gateway: between(random, 0, gateways - 1),
      accountId: oneOf(random, ['ann', 'bob']),
      model: 'first',
      promptTokens: between(random, 1, Math.ceil(largest / 4)),
      maxTokens: between(random, 20, largest),
      demands: oneOf(random, ['call', 'strict', 'json', undefined] as const),
      leavesAfterMs: random() < 0.25 ? between(random, 0, 12_000) : undefined,
    })),
    disasters: random() < 0.5 ? [] : disastersOf(world, gateways),
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs: 60_000,
    check: checkPrompts,
  };
};

function conductOf({ random }: World): Conduct {
  const pieces = between(random, 1, 8);
  const usual = {
    reportsUsageEarly: random() < 0.5,
    firstMs: between(random, 5, 2000),
    pieceMs: between(random, 1, 400),
    pieces,
  };
  const fate = random();
  if (fate < 0.08) return { ...usual, refuses: { status: oneOf(random, [500, 401]) } };
  if (fate < 0.16) return { ...usual, breaksAfter: between(random, 0, pieces) };
  return fate < 0.7 ? { ...usual, disobeys: oneOf(random, ['speaks', 'misfits'] as const) } : usual;
}

/** A model is re-prompted at most as often as the operator allows, however its request ends. */
function checkPrompts({ calls }: Life): readonly string[] {
  const prompts = Map.groupBy(calls, ({ requestId, model }) => `${requestId} of ${model}`);
  return [...prompts].flatMap(([name, own]) => {
    const count = new Set(own.map(({ repromptMessages }) => repromptMessages)).size;
    return count <= 1 + attempts ? [] : [`${name} was prompted ${count} times, more than ${1 + attempts}`];
  });
}
