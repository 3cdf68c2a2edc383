import type { Route } from './route.ts';

/** The routes without path parameters. One map lookup finds them, without the router. */
export class ExactRoutes {
  readonly #byLine = new Map<string, Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (/\/[:*]/.test(route.path)) continue;
      this.#byLine.set(`${route.method} ${route.path}`, route);
      if (route.method === 'GET') this.#byLine.set(`HEAD ${route.path}`, route);
    }
  }

  find(method: string, path: string): Route | undefined {
    return this.#byLine.get(`${method} ${path}`);
  }
}
