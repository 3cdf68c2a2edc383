import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';

/** An endpoint: one method on one path. GET routes answer HEAD too. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Exact, except for two kinds of segments: `:id` matches one segment that is not empty, and a last segment `*id`
   * matches everything that follows, including slashes.
   */
  readonly path: string;
  /** Whether simple requests are read directly from the socket, as simple exchanges. For POST routes on exact paths. */
  readonly plain?: boolean;
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

/** The allowed methods of each path. Creates the fault for requests without a route. */
export class RouteMethods {
  readonly #allowed = new Map<string, string>();
  readonly #patterns: readonly (readonly [pattern: RegExp, path: string])[];

  constructor(routes: readonly Route[]) {
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = new Set<string>(routes.filter((route) => route.path === path).map((route) => route.method));
      if (methods.has('GET')) methods.add('HEAD');
      this.#allowed.set(path, [...methods, 'OPTIONS'].join(', '));
    }
    const withParameters = [...this.#allowed.keys()].filter((path) => /\/[:*]/.test(path));
    this.#patterns = withParameters.map((path) => [patternOf(path), path]);
  }

  /** Returns 405 for a known path, and for methods that no path allows; otherwise 404. */
  fault(method: string, path: string): HttpFault {
    const known = this.#allowed.has(path) ? path : this.#patterns.find(([pattern]) => pattern.test(path))?.[1];
    const allowed =
      this.#allowed.get(known ?? '') ?? (neverAllowed.has(method) ? 'GET, HEAD, POST, OPTIONS' : undefined);
    if (allowed === undefined) return new HttpFault('not-found');
    return new HttpFault('method-not-allowed', `The method must be one of ${allowed}.`, ['allow', allowed]);
  }
}

/** A pattern for the paths that a route with parameters matches. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith('*')) return '[^/]+(?:/[^/]+)*';
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/\W/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}

const neverAllowed = new Set(['CONNECT', 'TRACE']);
