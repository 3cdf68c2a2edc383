import { GatewayError } from '../core/gateway-error.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './api/authenticate.ts';
import { endpoints } from './endpoints.ts';
import { adminDocument } from './openapi.ts';
import type { AdminParts } from './parts.ts';
import { mayUse } from './api/caller.ts';
import { routeOf } from './api/serve-endpoint.ts';

/** The admin API, the account API and their OpenAPI document. Only the document needs no token. */
export function adminRoutes(parts: AdminParts): readonly Route[] {
  return [documentRoute(() => parts.current().version), ...endpoints.map((endpoint) => routeOf(endpoint, parts))];
}

/** Restricts a route of another module to operators. Any operator role may call it, by token or session. */
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

/** Built once per version: anyone may request it, so it must be cheap. */
function documentRoute(version: () => string): Route {
  let cached = { version: '', text: '' };
  return {
    method: 'GET',
    path: '/admin/v1/openapi.json',
    handle: (exchange) => {
      if (cached.version !== version()) cached = { version: version(), text: JSON.stringify(adminDocument(version())) };
      exchange.send(200, 'application/json', cached.text);
    },
  };
}
