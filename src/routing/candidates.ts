import type { Route } from '../core/model.ts';

/** The order in which routes are tried: by priority, and among equals at random by weight. */
export function inOrder(routes: readonly Route[], random: () => number): readonly Route[] {
  if (routes.length < 2) return routes;
  return routes
    .map((route) => ({ route, draw: -Math.log(1 - random()) / route.weight }))
    .sort((a, b) => a.route.priority - b.route.priority || a.draw - b.draw)
    .map(({ route }) => route);
}
