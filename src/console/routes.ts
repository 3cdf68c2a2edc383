import type { Route } from '../http/route.ts';
import { arrivalRoutes } from './arrival-routes.ts';
import type { Identity } from './identity.ts';
import { oidcRoutes } from './oidc-routes.ts';
import type { ConsoleParts } from './parts.ts';
import { securityRoutes } from './security-routes.ts';
import { sessionRoute } from './session-route.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { slowDown } from './slow-down.ts';

/** Everything under `/auth`. */
export function authRoutes(parts: ConsoleParts, people: Identity): readonly Route[] {
  return [
    sessionRoute(parts, people),
    ...signInRoutes(parts, people, slowDown(parts.clock)),
    ...arrivalRoutes(parts, people),
    ...securityRoutes(parts, people),
    ...oidcRoutes(parts, people),
  ];
}
