import type { Route } from '../http/route.ts';
import { addressRoutes } from './address-routes.ts';
import { alertSignIn } from './sign-in-alert.ts';
import { signInEventRoutes } from './sign-in-event-routes.ts';
import type { Door } from './door.ts';
import { guesses } from './sign-in-throttle.ts';
import type { Identity } from './identity.ts';
import { emailRoutes } from './email-routes.ts';
import { oidcRoutes } from './oidc-routes.ts';
import type { ConsoleParts } from './parts.ts';
import { resetRoutes } from './reset-routes.ts';
import { securityEvents } from './security-events.ts';
import { securityRoutes } from './security-routes.ts';
import { sessionRoute } from './session-route.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';
import { waitingSignUps } from './waiting-sign-ups.ts';

/** Everything under `/auth`. */
export function authRoutes(parts: ConsoleParts, people: Identity): readonly Route[] {
  const door: Door = {
    people,
    slowly: guesses(parts),
    events: securityEvents(parts),
    waiting: waitingSignUps(parts, people.passwords),
    notice: (tx, arrived) => alertSignIn(tx, parts, arrived),
  };
  return [
    sessionRoute(parts, people),
    ...signInRoutes(parts, door),
    ...signInEventRoutes(parts, door),
    ...signUpRoutes(parts, door),
    ...resetRoutes(parts, door),
    ...emailRoutes(parts, door),
    ...addressRoutes(parts, door),
    ...securityRoutes(parts, door),
    ...oidcRoutes(parts, people),
  ];
}
