import { storeUnreachable } from '../core/time/deadline.ts';
import type { Route } from '../http/route.ts';
import { isUnreachable } from '../store/postgres/unreachable.ts';

/** Wraps a route: if the database is unreachable, the client gets that error, and no internal error is logged. */
export function withStoreErrors(route: Route): Route {
  return {
    ...route,
    handle: (exchange, parameters) => route.handle(exchange, parameters)?.catch(rethrow),
  };
}

function rethrow(error: unknown): never {
  throw isUnreachable(error) ? storeUnreachable(error) : error;
}
