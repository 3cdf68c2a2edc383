import { storeAway } from '../core/deadline.ts';
import type { Route } from '../http/route.ts';
import { isUnreachable } from '../store/unreachable.ts';

/** The same route; whoever needs the database while it is away is told so, and operators hear of no mistake. */
export function tellingOfStore(route: Route): Route {
  return {
    ...route,
    handle: (exchange, parameters) => route.handle(exchange, parameters)?.catch(told),
  };
}

function told(error: unknown): never {
  throw isUnreachable(error) ? storeAway(error) : error;
}
