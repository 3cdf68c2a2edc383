import type { Route } from '../../http/route.ts';
import { addressRoutes, emailRoutes } from './email-routes.ts';
import { alertSignIn } from '../sign-in-alert.ts';
import { invitationRoutes } from './invitation-routes.ts';
import type { AuthContext, ConsoleParts } from '../parts.ts';
import { signInThrottle } from '../throttle/sign-in-throttle.ts';
import type { Identity, SignedIn } from '../identity.ts';
import { resetRoutes } from './reset-routes.ts';
import { securityEvents } from '../security-events.ts';
import { securityRoutes } from './security-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';
import { pendingSignUps } from '../pending-sign-ups.ts';
import { hasOwner } from '../../accounts/operators.ts';
import { hasPassword } from '../../accounts/users.ts';
import { readingRoute, accepted, writingRoute } from './console-route.ts';
import { siteOf } from '../site.ts';
import { z } from 'zod';
import { GatewayError } from '../../core/gateway-error.ts';
import { reason } from '../../core/reasons/reason.ts';

export function authRoutes(parts: ConsoleParts, identity: Identity): readonly Route[] {
  const auth: AuthContext = {
    identity,
    throttle: signInThrottle(parts),
    events: securityEvents(parts),
    findPendingSignUp: pendingSignUps(parts, identity.passwords),
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

/** The first request of the dashboard: the user, their roles, and the site. */
function sessionRoute(parts: ConsoleParts, identity: Identity): Route {
  return readingRoute('/auth/session', async ({ exchange }) => {
    const site = siteOf(parts, exchange);
    const { oidc, supportEmail, currency, messagesPrefix } = parts.settings();
    const siteInfo = {
      site: { name: site?.name ?? '', sign_up: site?.signUp ?? false, title: site?.title ?? 'Chat Gateway' },
      oidc: oidc ? { name: oidc.name } : null,
      support_email: supportEmail ?? null,
      currency,
      messages_prefix: messagesPrefix,
      version: parts.current().version,
      is_mail_on: parts.mail.settings !== undefined,
    };
    const found = await identity.signedIn(exchange);
    if (found) {
      const hasOwnPassword = await hasPassword(parts.store.db, found.user.id);
      return { value: { ...userDocument(found, hasOwnPassword), ...siteInfo } };
    }
    return { value: { user: null, needs_setup: !(await hasOwner(parts.store.db)), ...siteInfo } };
  });
}

function userDocument({ user, operator, memberships }: SignedIn, hasOwnPassword: boolean) {
  return {
    user: {
      id: user.id,
      email: user.email,
      name: user.name,
      two_factor: user.hasTwoFactor,
      has_password: hasOwnPassword,
      language: user.language ?? null,
      is_verified: user.isVerified,
    },
    operator: operator ?? null,
    accounts: memberships.map(({ accountId, accountName, role }) => ({ id: accountId, name: accountName, role })),
  };
}

/** Single sign-on: the redirect to the provider, and the callback. */
function oidcRoutes(parts: ConsoleParts, identity: Identity): readonly Route[] {
  return [
    writingRoute({ path: '/auth/oidc/begin' }, async ({ exchange }) => {
      if (!parts.settings().oidc) throw new GatewayError('not-found', { reason: reason('no_single_sign_on') });
      const body = { provider: 'oidc', callbackURL: '/app', errorCallbackURL: '/app/sign-in', disableRedirect: true };
      const answer = await identity.callProvider(exchange, (library, given) =>
        library.signInSocial({ body, ...given }),
      );
      const { body: answerBody, headers } = accepted(answer, 'single_sign_on_unreachable');
      return { value: { url: z.object({ url: z.string() }).parse(answerBody).url }, headers };
    }),
    {
      method: 'GET',
      path: '/auth/callback/oidc',
      handle: async (exchange) => {
        const query = Object.fromEntries(exchange.query);
        const answer = await identity.callProvider(exchange, (library, given) =>
          library.callbackOAuth({ method: 'GET', params: { id: 'oidc' }, query, ...given }),
        );
        const location = answer.location ?? '/app/sign-in?error=oidc';
        exchange.send(302, 'text/plain', '', ['location', location, 'cache-control', 'no-store', ...answer.headers]);
      },
    },
  ];
}
