import type { Route } from '../../../serving/http/route.ts';
import { alertSignIn } from '../sign-in-alert.ts';
import { invitationRoutes } from './invitation-routes.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import { signInThrottle } from '../throttle/sign-in-throttle.ts';
import type { Identity, SignedIn } from '../identity.ts';
import { resetRoutes } from './reset-routes.ts';
import { securityEvents } from '../security-events.ts';
import { securityRoutes } from './security-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';
import { pendingSignUps } from '../pending-sign-ups.ts';
import { hasOwner } from '../../../money/accounts/operators.ts';
import { hasPassword, setLanguage, markVerified } from '../../../money/accounts/users.ts';
import { languages } from 'chat-formats/reasons/text.ts';
import { readingRoute, accepted, writingRoute, invalidLink, done, sentFields } from './console-route.ts';
import { siteOf } from '../site.ts';
import { z } from 'zod';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { cadenceNamed, digestName, digestSchema } from '../../admin/accounts/digest-documents.ts';
import { cadenceOf, setCadence } from '../../../operate/notifications/digests/digests.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { addressProof, isAddressProof } from '../../../money/accounts/address-proof.ts';
import { sentFrom } from '../../admin/api/audit.ts';
import { refused } from '../../admin/api/sent-values.ts';
import { beginningQuota, emailQuota } from '../throttle/network-quotas.ts';
import type { Kysely } from 'kysely';
import type { Database } from '../../../platform/store/database.ts';

export function authRoutes(parts: ConsoleParts, identity: Identity): readonly Route[] {
  const auth: AuthContext = {
    identity,
    throttle: signInThrottle(parts),
    events: securityEvents(parts),
    findPendingSignUp: pendingSignUps(parts, identity.passwords),
    countBeginning: beginningQuota(parts),
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
    ...oidcRoutes(parts, auth),
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

function userDocument({ user, operator, memberships, organisations }: SignedIn, hasOwnPassword: boolean) {
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
    organisations: organisations.map(({ organisationId: id, organisationName: name, role }) => ({ id, name, role })),
  };
}

/** Single sign-on: the redirect to the provider, and the callback. */
function oidcRoutes(parts: ConsoleParts, { identity, countBeginning }: AuthContext): readonly Route[] {
  return [
    writingRoute({ path: '/auth/oidc/begin' }, async ({ exchange }) => {
      if (!parts.settings().oidc) throw new GatewayError('not-found', { reason: reason('no_single_sign_on') });
      await countBeginning(exchange);
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

/** E-mail settings of a user: the language, and for operators the digest of the gateway. */
function emailRoutes({ store, mail }: ConsoleParts, { identity }: AuthContext): readonly Route[] {
  async function operatorAt(exchange: Exchange): Promise<SignedIn> {
    const found = await identity.require(exchange);
    if (found.operator === undefined) throw new GatewayError('forbidden', { reason: reason('digest_needs_operator') });
    return found;
  }

  async function digestOf({ user }: SignedIn) {
    const digest = digestName(await cadenceOf(store.db, { operatorId: user.id }));
    const isMailOn = mail.settings !== undefined;
    return { value: { digest, email: user.email, is_verified: user.isVerified, is_mail_on: isMailOn } };
  }

  return [
    writingRoute({ path: '/auth/language', body: chosenLanguage }, async ({ exchange, body: { language } }) => {
      const { user } = await identity.require(exchange);
      await setLanguage(store.db, user.id, language);
      return { value: { language } };
    }),
    readingRoute('/auth/digest', async ({ exchange }) => digestOf(await operatorAt(exchange))),
    writingRoute({ path: '/auth/digest', body: chosenDigest }, async ({ exchange, body }) => {
      const found = await operatorAt(exchange);
      const wanted = { operatorId: found.user.id };
      await store.transaction((tx) => setCadence(tx, wanted, cadenceNamed(body.digest)), { lock: 'digests' });
      return digestOf(found);
    }),
  ];
}

const chosenLanguage = z.strictObject({ language: z.enum(languages) });
const chosenDigest = z.strictObject({ digest: digestSchema });

/**
 * Lets users who signed up without mail confirm their address. The link works only while the same user is signed in: if
 * another person requested the e-mail for this address, its reader confirms nothing by opening the link.
 */
function addressRoutes(parts: ConsoleParts, { identity, events }: AuthContext): readonly Route[] {
  const { store, clock, pepper, mail } = parts;
  const countEmail = emailQuota(parts);
  return [
    writingRoute({ path: '/auth/address/email' }, async ({ exchange }) => {
      const { user } = await identity.require(exchange);
      if (user.isVerified) return { value: done };
      if (!mail.settings) throw refused(reason('no_mail_to_confirm'));
      await countEmail(exchange, user.email);
      const path = `/app/settings/profile?confirm=${addressProof(pepper, user, clock.now())}`;
      const order = { to: user.email, subject: { kind: 'address' }, path, language: user.language } as const;
      await store.transaction((tx) => mail.post(tx, { ...order, address: { host: exchange.host } }));
      return { value: done };
    }),
    writingRoute({ path: '/auth/address/confirm', body: proof }, async ({ exchange, body: { token } }) => {
      const { user } = await identity.require(exchange);
      if (!isAddressProof(pepper, user, { text: token, now: clock.now() })) throw invalidLink();
      if (user.isVerified) return { value: done };
      const after = { email: user.email };
      const alongside = (tx: Kysely<Database>) => markVerified(tx, user.id);
      await events.record('confirmAddress', user, { from: sentFrom(exchange), after, alongside });
      return { value: done };
    }),
  ];
}

const proof = z.strictObject({ token: sentFields.token });
