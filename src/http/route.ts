import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';

/** An endpoint: one method on one path. GET routes answer HEAD too. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Exact, but for segments such as `:id`, which stand for one segment that is not empty, and a last one such as `*id`,
   * which stands for all that follows, slashes included.
   */
  readonly path: string;
  /** Whether its simple requests are read straight from the socket and come as simple exchanges. For POST on exact paths. */
  readonly plain?: boolean;
  handle(exchange: Exchange, parameters: PathParameters): void | Promise<void>;
}

/** What the request has in place of each `:name` and `*name` of the path, decoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** Runs the route; an error on the way is told to the client as far as that is still possible. */
export function runRoute(route: Route, exchange: Exchange, parameters: PathParameters): void {
  try {
    const pending = route.handle(exchange, parameters);
    pending?.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
}

/** Which methods each path has: what is asked of nobody's path or with nobody's method is refused with its words. */
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

  /** Why no route answers: 405 on a path we have and for the methods we have nowhere, else 404. */
  fault(method: string, path: string): HttpFault {
    const known = this.#allowed.has(path) ? path : this.#patterns.find(([pattern]) => pattern.test(path))?.[1];
    const allowed =
      this.#allowed.get(known ?? '') ?? (neverAllowed.has(method) ? 'GET, HEAD, POST, OPTIONS' : undefined);
    if (allowed === undefined) return new HttpFault('not-found');
    return new HttpFault('method-not-allowed', `Here the method must be one of ${allowed}.`, ['allow', allowed]);
  }
}

/** The paths that a route with parameters answers. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith('*')) return '[^/]+(?:/[^/]+)*';
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/\W/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}

const neverAllowed = new Set(['CONNECT', 'TRACE']);
