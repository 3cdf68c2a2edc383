import type { Exchange } from './exchange.ts';

/** An endpoint: one method on one path. GET routes answer HEAD too. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Exact, except for two kinds of segments: `:id` matches one segment that is not empty, and a last segment `*id`
   * matches everything that follows, including slashes.
   */
  readonly path: string;
  /** Whether the raw-socket acceptor may read its simple requests. For POST routes on exact paths. */
  readonly takesSimpleRequests?: boolean;
  handle(exchange: Exchange, parameters: PathParameters): void | Promise<void>;
}

/** The decoded value of each `:name` and `*name` of the path. */
export type PathParameters = Readonly<Record<string, string>>;

/** Runs the route. If it throws, the exchange fails with the error. */
export function runRoute(route: Route, exchange: Exchange, parameters: PathParameters): void {
  try {
    const pending = route.handle(exchange, parameters);
    pending?.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
}
