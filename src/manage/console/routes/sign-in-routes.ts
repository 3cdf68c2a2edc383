import { z } from 'zod';
import { userByEmail, userById } from '../../../money/accounts/users.ts';
import { sentFrom } from '../../admin/api/audit.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import type { Store } from '../../../platform/store/store.ts';
import { accepted, done, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import type { LibraryAnswer } from '../identity.ts';
import { afterPassword, completeSignIn } from '../password-sign-in.ts';
import type { Proof, EventSubject } from '../security-events.ts';
import { unconfirmedAnswer } from '../pending-sign-ups.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Sign-in by password, second factor or passkey, and sign-out. */
export function signInRoutes({ store }: ConsoleParts, auth: AuthContext): readonly Route[] {
  const { identity, throttle, events, findPendingSignUp, countBeginning } = auth;

  /** Records a refused attempt, up to the daily limit. An internal error is not recorded as a failed sign-in. */
  async function recordRefusal(exchange: Exchange, { status }: LibraryAnswer, attempt: SignInAttempt): Promise<void> {
    if (!isRefusal({ status })) return;
    await events.recordFailure({ ...attempt, email: attempt.user?.email ?? attempt.email ?? '' }, sentFrom(exchange));
  }

  return [
    writingRoute({ path: '/auth/sign-in', body: signIn }, async ({ exchange, body }) => {
      const { email, password } = body;
      const answer = await throttle.password(exchange, email, async () => {
        const result = await identity.callLibrary(exchange, (library, given) =>
          library.signInEmail({ body, ...given }),
        );
        return isRefusal(result) && (await findPendingSignUp(email, password)) ? unconfirmedAnswer : result;
      });
      if (answer === unconfirmedAnswer) return { value: { next: 'confirm' } };
      await recordRefusal(exchange, answer, { user: await userByEmail(store.db, email), email, by: 'password' });
      if (isRefusal(answer)) throw new GatewayError('sign-in-refused');
      return afterPassword(store, auth, { answer: accepted(answer), exchange, email });
    }),
    writingRoute(
      { path: '/auth/two-factor', body: z.strictObject({ code: sentFields.code }) },
      async ({ exchange, body }) => {
        const userId = await identity.challenged(exchange);
        if (userId === undefined) throw new GatewayError('sign-in-refused', { reason: reason(secondRefusal) });
        const answer = await throttle.code(exchange, userId, () =>
          identity.callLibrary(exchange, (library, given) => {
            const sent = { body: { code: body.code }, ...given };
            return /^\d{6}$/.test(body.code) ? library.verifyTOTP(sent) : library.verifyBackupCode(sent);
          }),
        );
        const user = await userById(store.db, userId);
        await recordRefusal(exchange, answer, { user, by: 'second-factor' });
        const { headers } = accepted(answer, secondRefusal);
        return completeSignIn(auth, exchange, { user, by: 'second-factor', headers });
      },
    ),
    writingRoute({ path: '/auth/sign-out' }, async ({ exchange }) => {
      const found = await identity.signedIn(exchange);
      const answer = await identity.callLibrary(exchange, (library, given) => library.signOut(given));
      if (found) await events.record('signOut', found.user, { from: sentFrom(exchange) });
      return { value: done, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/passkeys/sign-in/begin' }, async ({ exchange }) => {
      await countBeginning(exchange);
      const answer = await identity.callLibrary(exchange, (library, given) =>
        library.generatePasskeyAuthenticationOptions(given),
      );
      const { body, headers } = accepted(answer);
      return { value: { ...z.looseObject({}).parse(body), userVerification: 'required' }, headers };
    }),
    writingRoute({ path: '/auth/passkeys/sign-in/finish', body: passkey }, async ({ exchange, body }) => {
      const answer = await throttle.passkey(exchange, body.response.id, () =>
        identity.callLibrary(exchange, (library, given) => library.verifyPasskeyAuthentication({ body, ...given })),
      );
      await recordRefusal(exchange, answer, { user: await ownerOf(store, body.response.id), by: 'passkey' });
      const { headers, body: result } = accepted(answer, 'passkey_unknown');
      const { userId } = z.object({ session: z.object({ userId: z.string() }) }).parse(result).session;
      return completeSignIn(auth, exchange, { user: await userById(store.db, userId), by: 'passkey', headers });
    }),
  ];
}

function isRefusal({ status }: Pick<LibraryAnswer, 'status'>): boolean {
  return status >= 400 && status < 500;
}

interface SignInAttempt {
  readonly user: EventSubject | undefined;
  readonly email?: string;
  readonly by: Proof;
}

/** The user of a passkey; undefined if the passkey is unknown. */
async function ownerOf({ db }: Store, credentialId: string): Promise<EventSubject | undefined> {
  const users = db.selectFrom('console_passkeys').innerJoin('console_users', 'console_users.id', 'user_id');
  return users.select(['console_users.id', 'email']).where('credential_id', '=', credentialId).executeTakeFirst();
}

const signIn = z.strictObject({ email: sentFields.email, password: sentFields.password });
const encoded = z.string().max(10_000);
/** The JSON form of the result of `navigator.credentials.get`. */
const passkey = z.strictObject({
  response: z.object({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: sentFields.clientData,
      authenticatorData: encoded,
      signature: encoded,
      userHandle: encoded.nullish().transform((handle) => handle ?? undefined),
    }),
    clientExtensionResults: z.looseObject({}).default({}),
  }),
});

const secondRefusal = 'second_factor_refused';
