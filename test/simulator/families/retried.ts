import { between, oneOf } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { World } from '../world.ts';

type Planned = Plan & { readonly gateway: number };

interface RetryHabits {
  /** The share of requests with an `Idempotency-Key`. */
  readonly keyShare: number;
  /** A retry comes within one of these times. */
  readonly withinMs: readonly number[];
  /** The gateway that a retry goes to. If undefined, it goes where the first request went. */
  readonly gateway?: () => number;
}

const usual: RetryHabits = { keyShare: 0.1, withinMs: [100, 1000, 6000] };

/**
 * A request, mostly for the fast path, and the retries that its client sends during the answer or soon after. Each
 * reads in its own way. Their ids count on from `first`.
 */
export function retried(
  world: World,
  request: Omit<Planned, 'id'>,
  first: number,
  { keyShare, withinMs, gateway }: RetryHabits = usual,
): readonly Planned[] {
  const { random } = world;
  const id = `r${first}`;
  // A request with an `Idempotency-Key` takes the slow path, and so do all retries.
  const hasKey = random() < keyShare;
  const terms = (retryCount: number) => (hasKey ? { idempotencyKey: id } : { retryCount });
  const retries = Array.from({ length: oneOf(random, [0, 0, 0, 1, 1, 2, 3]) }, (_, index) => ({
    ...request,
    ...terms(index + 1),
    ...habitsOf(world),
    ...(gateway && { gateway: gateway() }),
    id: `r${first + index + 1}`,
    retryOf: id,
    atMs: request.atMs + between(random, 0, oneOf(random, withinMs)),
  }));
  return [{ ...request, ...terms(0), ...habitsOf(world), id, triesFastPath: random() < 0.9 }, ...retries];
}

/** When a client leaves, stops reading and reads on. */
function habitsOf({ random }: World): Pick<Plan, 'leavesAfterMs' | 'stopsReadingAfter' | 'readsOnAfterMs'> {
  return {
    leavesAfterMs: random() < 0.3 ? between(random, 0, oneOf(random, [100, 1000, 5000])) : undefined,
    stopsReadingAfter: random() < 0.5 ? between(random, 0, 4) : undefined,
    readsOnAfterMs: random() < 0.9 ? between(random, 1, 5000) : undefined,
  };
}
