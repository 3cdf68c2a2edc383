import { hasOwner } from '../../accounts/operators.ts';
import { hasPassword } from '../../accounts/users.ts';
import type { Route } from '../../http/route.ts';
import { readingRoute } from './console-route.ts';
import type { Identity, SignedIn } from '../identity.ts';
import type { ConsoleParts } from '../parts.ts';
import { siteOf } from '../site.ts';

/** The first request of the dashboard: the user, their roles, and the site. */
export function sessionRoute(parts: ConsoleParts, identity: Identity): Route {
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
