import { GatewayError } from '../core/gateway-error.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './authenticate.ts';
import { endpoints } from './endpoints.ts';
import { adminDocument } from './openapi.ts';
import type { AdminParts } from './parts.ts';
import { mayUse } from './roles.ts';
import { routeOf } from './serve-endpoint.ts';

/** The operators' API and the account owners' API, and their description, which is the only part that needs no token. */
export function adminRoutes(parts: AdminParts): readonly Route[] {
  return [documentRoute(() => parts.current().version), ...endpoints.map((endpoint) => routeOf(endpoint, parts))];
}

/** A route of another house, for operators only: a token or a session of the least role will do. */
export function operatorsRoute(route: Route, parts: AdminParts): Route {
  const { method, path } = route;
  const access = 'read-only';
  return {
    method,
    path,
    handle: async (exchange, parameters) => {
      const { role } = await callerOf(exchange, parts, { method, access });
      if (!mayUse(role, access)) throw new GatewayError('forbidden');
      await route.handle(exchange, parameters);
    },
  };
}

/** Made once a version: anyone may ask, so asking must cost nothing. */
function documentRoute(version: () => string): Route {
  let made = { version: '', text: '' };
  return {
    method: 'GET',
    path: '/admin/v1/openapi.json',
    handle: (exchange) => {
      if (made.version !== version()) made = { version: version(), text: JSON.stringify(adminDocument(version())) };
      exchange.send(200, 'application/json', made.text);
    },
  };
}
