import { z } from 'zod';
import { type OneTimeLink, openLink, type Reset, useLink, withdrawResets } from '../../accounts/one-time-links.ts';
import { mayReset } from '../../accounts/resets.ts';
import { endSessions, forgetSignIns, setPassword, type User, userByEmail } from '../../accounts/users.ts';
import { recordChange, sentFrom } from '../../admin/audit/audit.ts';
import { checkedBody } from '../../admin/api/sent-values.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { joined } from '../../store/joined.ts';
import { accepted, invalidLink, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import { passwordSignIn } from '../password-sign-in.ts';

interface OpenReset {
  readonly link: OneTimeLink;
  readonly reset: Reset;
  readonly user: User;
}

/** Lets users who lost their password or second factor sign in again, with a reset link of an owner or operator. */
export function resetRoutes(parts: ConsoleParts, auth: AuthContext): readonly Route[] {
  const { store, clock } = parts;
  const { identity, throttle } = auth;

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
      if (passwordHash !== undefined) await setPassword(tx, clock, { userId: user.id, passwordHash });
      const change = { kind: 'user', id: user.id, after: { email: user.email, resets: reset.resets } };
      const by = { at: clock.now(), actor: user.email, role: 'account', action: 'followReset', ...sentFrom(exchange) };
      await recordChange(joined(store, tx), change, by);
    });
  }

  return [
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

const sentPassword = z.strictObject({ password: sentFields.password });
const chosenPassword = z.strictObject({ password: sentFields.newPassword });
