import { between, oneOf } from '../../crash/random.ts';
import type { Plan } from '../plan.ts';
import type { World } from '../world.ts';

type Planned = Plan & { readonly gateway: number };

/**
 * A request, mostly for the fast path, and those by which its client asks again while it is answered or soon after, each
 * with habits of its own. Their ids are counted on from the first.
 */
export function retried(world: World, asked: Omit<Planned, 'id'>, first: number): readonly Planned[] {
  const { random } = world;
  const id = `r${first}`;
  // Who gives it a name goes the slow path, and so do all others who ask again.
  const isNamed = random() < 0.1;
  const terms = (retries: number) => (isNamed ? { name: id } : { retries });
  const retries = Array.from({ length: oneOf(random, [0, 0, 0, 1, 1, 2, 3]) }, (_, index) => ({
    ...asked,
    ...terms(index + 1),
    ...habitsOf(world),
    id: `r${first + index + 1}`,
    again: id,
    atMs: asked.atMs + between(random, 0, oneOf(random, [100, 1000, 6000])),
  }));
  return [{ ...asked, ...terms(0), ...habitsOf(world), id, goesByFastPath: random() < 0.9 }, ...retries];
}

/** Who reads what comes until it is over, and who does not. */
function habitsOf({ random }: World): Pick<Plan, 'leavesAfterMs' | 'stopsReadingAfter' | 'readsOnAfterMs'> {
  return {
    leavesAfterMs: random() < 0.3 ? between(random, 0, oneOf(random, [100, 1000, 5000])) : undefined,
    stopsReadingAfter: random() < 0.5 ? between(random, 0, 4) : undefined,
    readsOnAfterMs: random() < 0.9 ? between(random, 1, 5000) : undefined,
  };
}
