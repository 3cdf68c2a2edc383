import { z } from 'zod';
import {
  makeLink,
  type OpenedLink,
  openLink,
  type Reset,
  useLink,
  withdrawResets,
} from '../../../money/accounts/one-time-links.ts';
import { mayReset } from '../../../money/accounts/resets.ts';
import {
  endSessions,
  forgetSignIns,
  forgetUnverified,
  hasPassword,
  markUnverified,
  markVerified,
  setPassword,
  type User,
  userByEmail,
} from '../../../money/accounts/users.ts';
import { recordChange, sentFrom } from '../../admin/api/audit.ts';
import { checkedBody } from '../../admin/api/sent-values.ts';
import { resetPath } from '../../admin/people/reset-documents.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import { joined } from '../../../platform/store/joined.ts';
import { accepted, invalidLink, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import { emailQuota } from '../throttle/network-quotas.ts';
import { passwordSignIn } from '../password-sign-in.ts';

interface OpenReset {
  readonly link: OpenedLink;
  readonly reset: Reset;
  readonly user: User;
}

/**
 * Lets users who lost their password or second factor sign in again, with a reset link of an owner or operator. With a
 * mail server, users can also request a link for their password.
 */
export function resetRoutes(parts: ConsoleParts, auth: AuthContext): readonly Route[] {
  const { store, clock } = parts;
  const { identity, throttle } = auth;
  const countEmail = emailQuota(parts);

  /** A link is invalid if the user has gained rights since, so that its creator may no longer reset them. */
  async function opened(secret: string): Promise<OpenReset> {
    const link = await openLink(parts, secret);
    const reset = link?.purpose.kind === 'reset' ? link.purpose : undefined;
    const user = reset && (await userByEmail(store.db, reset.email));
    if (!link || !user || !(await mayReset(store.db, reset.right, user.id))) throw invalidLink();
    return { link, reset, user };
  }

  /** Replaces the lost credentials, ends every session and writes the audit line, in one transaction. */
  async function follow(exchange: Exchange, { link, reset, user }: OpenReset, passwordHash?: string): Promise<void> {
    await store.transaction(async (tx) => {
      if (!(await useLink(tx, clock, link)) || !(await mayReset(tx, reset.right, user.id))) throw invalidLink();
      await withdrawResets(tx, user);
      await (reset.resets === 'password' ? endSessions(tx, user.id) : forgetSignIns(tx, user.id));
      if (passwordHash !== undefined) {
        // Only a link that the creator has not seen proves the address.
        const isProved = link.isMailed || 'isOwn' in reset.right;
        if (isProved) await forgetUnverified(tx, user.id);
        await setPassword(tx, clock, { userId: user.id, passwordHash });
        await (isProved ? markVerified(tx, user.id) : markUnverified(tx, user.id));
      }
      const change = { kind: 'user', id: user.id, after: { email: user.email, resets: reset.resets } };
      const by = { at: clock.now(), actor: user.email, role: 'account', action: 'followReset', ...sentFrom(exchange) };
      await recordChange(joined(store, tx), change, by);
    });
  }

  return [
    writingRoute({ path: '/auth/resets', body: sentEmail }, async ({ exchange, body: { email } }) => {
      if (!parts.mail.settings) throw new GatewayError('forbidden', { reason: reason('reset_without_mail') });
      await countEmail(exchange, email);
      await sendOwnLink(parts, exchange, email);
      return { value: { next: 'email' } };
    }),
    readingRoute('/auth/resets/:id', async ({ id }) => {
      const { reset, user } = await opened(id);
      return { value: { email: user.email, name: user.name, resets: reset.resets } };
    }),
    writingRoute({ path: '/auth/resets/:id', body: sentPassword }, async ({ exchange, id, body }) => {
      const found = await opened(id);
      const { email } = found.user;
      if (found.reset.resets === 'second-factor') {
        const { password } = body;
        const answer = await throttle.password(exchange, email, () =>
          identity.callLibrary(exchange, (library, given) =>
            library.signInEmail({ body: { email, password }, ...given }),
          ),
        );
        accepted(answer, 'wrong_reset_password');
        await follow(exchange, found);
      } else {
        const { password } = checkedBody(chosenPassword, body);
        await follow(exchange, found, await identity.passwords.hash(password));
      }
      return passwordSignIn(store, auth, { exchange, email, password: body.password });
    }),
  ];
}

/** Sends a link to a known address. The steps are the same for an unknown one, whose link leads nowhere. */
async function sendOwnLink(parts: ConsoleParts, exchange: Exchange, email: string): Promise<void> {
  const { store } = parts;
  await store.transaction(async (tx) => {
    const user = await userByEmail(tx, email);
    const purpose = { kind: 'reset', email, resets: 'password', right: { isOwn: true } } as const;
    const { secret } = await makeLink({ ...parts, store: joined(store, tx) }, purpose, email);
    // A user of single sign-on has no password to forget.
    if (!user || !(await hasPassword(tx, user.id))) return;
    const content = { subject: { kind: 'forgot' }, path: resetPath(secret) } as const;
    await parts.mail.post(tx, {
      to: user.email,
      language: user.language,
      address: { host: exchange.host },
      ...content,
    });
  });
}

const sentEmail = z.strictObject({ email: sentFields.email });
const sentPassword = z.strictObject({ password: sentFields.password });
const chosenPassword = z.strictObject({ password: sentFields.newPassword });
