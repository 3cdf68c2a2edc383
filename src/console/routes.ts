import type { Route } from '../http/route.ts';
import { arrivalRoutes } from './arrival-routes.ts';
import { guesses } from './guesses.ts';
import type { Identity } from './identity.ts';
import { oidcRoutes } from './oidc-routes.ts';
import type { ConsoleParts } from './parts.ts';
import { resetRoutes } from './reset-routes.ts';
import { securityRoutes } from './security-routes.ts';
import { sessionRoute } from './session-route.ts';
import { signInRoutes } from './sign-in-routes.ts';

/** Everything under `/auth`. */
export function authRoutes(parts: ConsoleParts, people: Identity): readonly Route[] {
  const slowly = guesses(parts);
  return [
    sessionRoute(parts, people),
    ...signInRoutes(parts, people, slowly),
    ...arrivalRoutes(parts, people, slowly.devices),
    ...resetRoutes(parts, people, slowly),
    ...securityRoutes(parts, people, slowly),
    ...oidcRoutes(parts, people),
  ];
}
