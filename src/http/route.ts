import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';

/** An endpoint: one method on one exact path. GET routes answer HEAD too. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(exchange: Exchange): void | Promise<void>;
}

/** Runs the route; an error on the way is told to the client as far as that is still possible. */
export function runRoute(route: Route, exchange: Exchange): void {
  try {
    const pending = route.handle(exchange);
    pending?.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
}

/** Which methods each path has: what is asked of nobody's path or with nobody's method is refused with its words. */
export class RouteMethods {
  readonly #allowed = new Map<string, string>();

  constructor(routes: readonly Route[]) {
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = new Set<string>(routes.filter((route) => route.path === path).map((route) => route.method));
      if (methods.has('GET')) methods.add('HEAD');
      this.#allowed.set(path, [...methods, 'OPTIONS'].join(', '));
    }
  }

  /** Why no route answers: 405 on a path we have and for the methods we have nowhere, else 404. */
  fault(method: string, path: string): HttpFault {
    const allowed = this.#allowed.get(path) ?? (neverAllowed.has(method) ? 'GET, HEAD, POST, OPTIONS' : undefined);
    if (allowed === undefined) return new HttpFault('not-found');
    return new HttpFault('method-not-allowed', `Here the method must be one of ${allowed}.`, ['allow', allowed]);
  }
}

const neverAllowed = new Set(['CONNECT', 'TRACE']);
