import type { Route } from '../../http/route.ts';
import { addressRoutes } from './address-routes.ts';
import { alertSignIn } from '../sign-in-alert.ts';
import { invitationRoutes } from './invitation-routes.ts';
import type { AuthContext } from '../auth-context.ts';
import { signInThrottle } from '../throttle/sign-in-throttle.ts';
import type { Identity } from '../identity.ts';
import { emailRoutes } from './email-routes.ts';
import { oidcRoutes } from './oidc-routes.ts';
import type { ConsoleParts } from '../parts.ts';
import { resetRoutes } from './reset-routes.ts';
import { securityEvents } from '../security-events.ts';
import { securityRoutes } from './security-routes.ts';
import { sessionRoute } from './session-route.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';
import { pendingSignUps } from '../pending-sign-ups.ts';

/** All routes under `/auth`. */
export function authRoutes(parts: ConsoleParts, identity: Identity): readonly Route[] {
  const auth: AuthContext = {
    identity,
    throttle: signInThrottle(parts),
    events: securityEvents(parts),
    pendingSignUps: pendingSignUps(parts, identity.passwords),
    alertSignIn: (tx, event) => alertSignIn(tx, parts, event),
  };
  return [
    sessionRoute(parts, identity),
    ...signInRoutes(parts, auth),
    ...invitationRoutes(parts, auth),
    ...signUpRoutes(parts, auth),
    ...resetRoutes(parts, auth),
    ...emailRoutes(parts, auth),
    ...addressRoutes(parts, auth),
    ...securityRoutes(parts, auth),
    ...oidcRoutes(parts, identity),
  ];
}
