import { between, oneOf } from '../../crash/random.ts';
import type { Conduct } from '../provider.ts';
import type { Family } from '../scenario.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { disastersOf } from './leases.ts';

/** One fallback costs more than the requested model and one costs less. Only the first needs a larger hold. */
const perToken = { first: 2, dear: 5, cheap: 1 };
const priceOf = (nano: number) => ({ input: `0.00${nano}`, output: `0.00${nano}` });
const every = ['failure', 'refusal'];

/**
 * A model that fails or is filtered in 60 % of its calls, with a more expensive and a cheaper fallback. The balance
 * often covers only the cheaper one. The disasters are those of the family `leases`.
 */
export const fallbacks: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 2);
  const largest = between(random, 500, 3000);
  return {
    gateways,
    upstreams: [upstreamOf('u', between(random, 2, 20)), upstreamOf('v', between(random, 1, 20))],
    credentials: 1,
    catalog: catalogOf(
      { first: ['u'], dear: ['v'], cheap: ['u'] },
      {
        first: {
          price: priceOf(perToken.first),
          fallbacks: [
            { model: 'dear', on: every },
            { model: 'cheap', on: every },
          ],
        },
        dear: { price: priceOf(perToken.dear) },
        cheap: { price: priceOf(perToken.cheap) },
      },
    ),
    perToken,
    accounts: [{ id: 'ann', credit: BigInt(largest * between(random, 4, 40)) }],
    waitMaxMs: between(random, 2000, 60_000),
    plans: Array.from({ length: between(random, 4, 20) }, (_, index) => ({
      id: `r${index}`,
      atMs: 1000 + between(random, 0, 9) * 5000 + between(random, 0, 50),
      gateway: between(random, 0, gateways - 1),
      accountId: 'ann',
      model: 'first',
      promptTokens: between(random, 1, Math.ceil(largest / 8)),
      maxTokens: between(random, 1, largest),
      leavesAfterMs: random() < 0.2 ? between(random, 0, 6000) : undefined,
    })),
    disasters: random() < 0.5 ? [] : disastersOf(world, gateways),
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: ({ model }) => conductOf(world, model === 'first' ? 0.6 : 0.2),
    durationMs: 60_000,
    check: () => [],
  };
};

function conductOf({ random }: World, badShare: number): Conduct {
  const pieces = between(random, 1, 10);
  const usual = {
    reportsUsageEarly: random() < 0.5,
    firstMs: between(random, 5, 2000),
    pieceMs: between(random, 1, 400),
    pieces,
  };
  if (random() >= badShare) return usual;
  const fate = random();
  if (fate < 0.4) return { ...usual, refuses: { status: oneOf(random, [500, 401]) } };
  if (fate < 0.8) return { ...usual, filters: true };
  return { ...usual, breaksAfter: between(random, 0, 1) };
}
