import { z } from 'zod';
import { userByEmail } from '../../money/accounts/users.ts';
import { sentFrom } from '../admin/api/audit.ts';
import type { Exchange } from '../../serving/http/exchange.ts';
import type { Store } from '../../platform/store/store.ts';
import { accepted, type ConsoleReply } from './routes/console-route.ts';
import type { AuthContext } from './auth-context.ts';
import type { LibraryAnswer } from './identity.ts';
import type { Proof, EventSubject } from './security-events.ts';

interface SignInInput {
  readonly exchange: Exchange;
  readonly email: string;
}

/** Signs a user in with a password that they have just chosen or proved. */
export async function passwordSignIn(
  store: Store,
  auth: AuthContext,
  { exchange, email, password }: SignInInput & { readonly password: string },
): Promise<ConsoleReply> {
  const answer = await auth.identity.callLibrary(exchange, (library, given) =>
    library.signInEmail({ body: { email, password }, ...given }),
  );
  return afterPassword(store, auth, { answer: accepted(answer), exchange, email });
}

/** Continues after a right password: requests the second factor, or completes the sign-in. */
export async function afterPassword(
  store: Store,
  auth: AuthContext,
  { answer: { body, headers }, exchange, email }: SignInInput & { readonly answer: LibraryAnswer },
): Promise<ConsoleReply> {
  const { twoFactorRedirect } = z.object({ twoFactorRedirect: z.boolean().default(false) }).parse(body);
  if (twoFactorRedirect) return { value: { next: 'two-factor' }, headers };
  return completeSignIn(auth, exchange, { user: await userByEmail(store.db, email), by: 'password', headers });
}

/** Writes the audit line of a sign-in, and marks the browser as known. */
export async function completeSignIn(
  { throttle: { devices }, events, alertSignIn }: AuthContext,
  exchange: Exchange,
  { user, by, headers }: { user: EventSubject | undefined; by: Proof; headers: readonly string[] },
): Promise<ConsoleReply> {
  const value = { next: 'done' };
  if (!user) return { value, headers };
  const isNew = devices.find(exchange, user.email) === undefined;
  const after = { email: user.email, by, new_device: isNew };
  const from = sentFrom(exchange);
  const event = { userId: user.id, ...from, isKnownBrowser: !isNew, host: exchange.host };
  await events.record('signIn', user, { from, after, alongside: (tx) => alertSignIn(tx, event) });
  return { value, headers: [...headers, ...devices.remember(exchange, user.email)] };
}
