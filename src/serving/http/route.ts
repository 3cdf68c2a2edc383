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

/** The routes of a server. It runs the route of a request, or creates the fault of a request without a route. */
export class RouteTable {
  readonly #exact = new Map<string, Route>();
  /** All routes, in the order in which they are tried: at each segment a fixed one before a parameter. */
  readonly #patterns: readonly RoutePattern[];

  /** Throws if two routes have the same method and path. */
  constructor(routes: readonly Route[]) {
    this.#patterns = routes.map(patternOf).toSorted((one, other) => compare(one.order, other.order));
    const lines = new Set<string>();
    for (const { route, hasParameters, methods, order } of this.#patterns) {
      if (lines.has(`${route.method} ${order}`)) throw new Error(`Two routes answer ${route.method} ${route.path}.`);
      lines.add(`${route.method} ${order}`);
      if (!hasParameters) for (const method of methods) this.#exact.set(`${method} ${route.path}`, route);
    }
  }

  /** Whether any route has the path. */
  hasPath(path: string): boolean {
    const segments = segmentsOf(path);
    return segments !== undefined && this.#patterns.some((pattern) => parametersOf(pattern, segments));
  }

  exact(method: string, path: string): Route | undefined {
    return this.#exact.get(`${method} ${path}`);
  }

  run(exchange: Exchange): void {
    const { method, path } = exchange;
    const exact = this.exact(method, path);
    if (exact) return runRoute(exact, exchange, {});
    const segments = segmentsOf(path) ?? [];
    for (const pattern of this.#patterns) {
      const parameters = pattern.methods.includes(method) && parametersOf(pattern, segments);
      if (parameters) return runRoute(pattern.route, exchange, parameters);
    }
    exchange.fail(this.fault(method, path));
  }

  /** Returns 405 for a known path, and for methods that no path allows; otherwise 404. */
  fault(method: string, path: string): HttpFault {
    const segments = segmentsOf(path);
    if (!segments) return new HttpFault('bad-request', badTarget);
    const known = this.#patterns.find((pattern) => parametersOf(pattern, segments));
    if (!known && !neverAllowed.has(method)) return new HttpFault('not-found');
    const allowed = known ? this.#allowedWith(known) : 'GET, HEAD, POST, OPTIONS';
    return new HttpFault('method-not-allowed', `The method must be one of ${allowed}.`, ['allow', allowed]);
  }

  #allowedWith({ route: { path } }: RoutePattern): string {
    const methods = this.#patterns.filter(({ route }) => route.path === path).map(({ route }) => route.method);
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }
}

interface RoutePattern {
  readonly route: Route;
  readonly methods: readonly string[];
  readonly segments: readonly string[];
  readonly hasParameters: boolean;
  /** Sorts patterns. Equal for paths that differ only in the names of their parameters. */
  readonly order: string;
}

function patternOf(route: Route): RoutePattern {
  const { method, path } = route;
  const order = path.replace(/\/:\w+/g, '/\uFFFE').replace(/\/\*\w+$/, '/\uFFFF');
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  return { route, methods, segments: path.split('/'), hasParameters: order !== path, order };
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The decoded segments of a path. Undefined if the percent-encoding is invalid. */
function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const badTarget = 'The request target contains an invalid percent-encoding.';

function parametersOf(pattern: RoutePattern, segments: readonly string[]): PathParameters | undefined {
  const parameters: Record<string, string> = {};
  for (const [at, segment] of pattern.segments.entries()) {
    const value = segments[at];
    if (value === undefined) return undefined;
    if (segment.startsWith('*')) {
      const rest = segments.slice(at).join('/');
      return rest.split('/').includes('') ? undefined : { ...parameters, [segment.slice(1)]: rest };
    }
    if (!segment.startsWith(':')) {
      if (value !== segment) return undefined;
    } else if (value === '' || value.length > parameterCharactersMax) return undefined;
    else parameters[segment.slice(1)] = value;
  }
  return segments.length === pattern.segments.length ? parameters : undefined;
}

/** Longer than any id or name of the gateway. */
const parameterCharactersMax = 300;

const neverAllowed = new Set(['CONNECT', 'TRACE']);
