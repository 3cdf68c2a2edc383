import { z } from 'zod';
import { noteSignUp, openSignUp, type SignUp, useSignUp } from '../../../money/accounts/sign-ups.ts';
import { createUser, userByEmail } from '../../../money/accounts/users.ts';
import { sentFrom } from '../../admin/api/audit.ts';
import { refused } from '../../admin/api/sent-values.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import { joined } from '../../../platform/store/joined.ts';
import { accepted, invalidLink, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import { emailQuota } from '../throttle/network-quotas.ts';
import { openOwnAccount } from '../open-own-account.ts';
import { passwordSignIn } from '../password-sign-in.ts';
import { siteOf } from '../site.ts';
import { refusedAnswer, acceptedAnswer } from '../pending-sign-ups.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { languages } from 'chat-formats/reasons/text.ts';

/**
 * Sign-up, if the site allows it. With a mail server nothing is created before the address is confirmed, and no answer
 * reveals whether an address is known. Without one the account is created at once, and a client that tries many
 * addresses is throttled.
 */
export function signUpRoutes(parts: ConsoleParts, auth: AuthContext): readonly Route[] {
  const { store } = parts;
  const { identity, throttle, findPendingSignUp } = auth;
  const countEmail = emailQuota(parts);
  return [
    writingRoute({ path: '/auth/sign-up', body: signUpBody }, async ({ exchange, body }) => {
      const site = siteOf(parts, exchange);
      if (!site?.signUp) throw new GatewayError('forbidden', { reason: reason('sign_up_closed') });
      const { email, name, password, language } = body;
      const passwordHash = await identity.passwords.hash(password);
      const input = { email, name, passwordHash, packageName: site.signUpPackage, language };
      if (parts.mail.settings) {
        await countEmail(exchange, email);
        await sendEmail(parts, exchange, input);
        return { value: { next: 'confirm' } };
      }
      const answer = await throttle.signUp(exchange, email, async () =>
        (await createAtOnce(parts, exchange, input)) === 'created' ? acceptedAnswer : refusedAnswer,
      );
      if (answer === refusedAnswer) throw refused(reason('address_known'));
      return passwordSignIn(store, auth, { exchange, email, password });
    }),
    writingRoute({ path: '/auth/sign-up/again', body: proofBody }, async ({ exchange, body: { email, password } }) => {
      const found = { signUp: undefined as SignUp | undefined };
      // Every attempt counts as a failure, right or wrong, so that the chosen password cannot be guessed here.
      await throttle.signUp(exchange, email, async () => {
        found.signUp = await findPendingSignUp(email, password);
        return refusedAnswer;
      });
      if (!found.signUp) throw new GatewayError('sign-in-refused');
      await countEmail(exchange, found.signUp.email);
      await sendEmail(parts, exchange, found.signUp);
      return { value: { next: 'confirm' } };
    }),
    readingRoute('/auth/sign-ups/:id', async ({ id }) => {
      const { email, name } = await pendingSignUp(parts, id);
      return { value: { email, name } };
    }),
    writingRoute({ path: '/auth/sign-ups/:id', body: passwordBody }, async ({ exchange, id, body }) => {
      const signUp = await pendingSignUp(parts, id);
      const { email } = signUp;
      // Another person may have signed up with this address, so the reader of the e-mail has to enter the password.
      const answer = await throttle.password(exchange, email, async () =>
        (await identity.passwords.verify({ hash: signUp.passwordHash, ...body })) ? acceptedAnswer : refusedAnswer,
      );
      accepted(answer, 'wrong_sign_up_password');
      await confirm(parts, exchange, signUp);
      return passwordSignIn(store, auth, { exchange, email, password: body.password });
    }),
  ];
}

/** Sends the e-mail of a sign-up, in the same steps for known and unknown addresses. */
async function sendEmail(parts: ConsoleParts, exchange: Exchange, input: Omit<SignUp, 'id'>): Promise<void> {
  const { store } = parts;
  await store.transaction(async (tx) => {
    const known = await userByEmail(tx, input.email);
    const secret = await noteSignUp({ ...parts, store: joined(store, tx) }, input);
    const content = known
      ? ({ subject: { kind: 'known' }, path: '/app/sign-in' } as const)
      : ({ subject: { kind: 'confirm' }, path: `/app/confirm?token=${secret}` } as const);
    const { language } = known ?? input;
    await parts.mail.post(tx, { to: input.email, language, address: { host: exchange.host }, ...content });
  });
}

/** Without mail: creates the user at once, unless the address is taken. */
async function createAtOnce(
  { store, clock }: ConsoleParts,
  exchange: Exchange,
  input: Omit<SignUp, 'id'>,
): Promise<'known' | 'created'> {
  const { email, packageName, ...chosen } = input;
  return store.transaction(
    async (tx) => {
      if (await userByEmail(tx, email)) return 'known';
      const user = await createUser(tx, clock, { email, ...chosen, isVerified: false });
      const inside = { store: joined(store, tx), clock };
      await openOwnAccount(inside, { user, packageName, from: sentFrom(exchange) });
      return 'created';
    },
    { lock: 'sign-up' },
  );
}

/** The address is confirmed: creates the user and their account. */
async function confirm({ store, clock }: ConsoleParts, exchange: Exchange, signUp: SignUp): Promise<void> {
  const { email, packageName, ...chosen } = signUp;
  await store.transaction(
    async (tx) => {
      const isFirst = await useSignUp(tx, signUp);
      if (!isFirst || (await userByEmail(tx, email))) throw invalidLink();
      const user = await createUser(tx, clock, { email, ...chosen, isVerified: true });
      const inside = { store: joined(store, tx), clock };
      await openOwnAccount(inside, { user, packageName, from: sentFrom(exchange) });
    },
    { lock: 'sign-up' },
  );
}

async function pendingSignUp(parts: ConsoleParts, secret: string): Promise<SignUp> {
  const signUp = await openSignUp(parts, secret);
  if (!signUp || (await userByEmail(parts.store.db, signUp.email))) throw invalidLink();
  return signUp;
}

const signUpBody = z.strictObject({
  email: sentFields.email,
  name: sentFields.name,
  password: sentFields.newPassword,
  language: z.enum(languages).optional(),
});
const proofBody = z.strictObject({ email: sentFields.email, password: sentFields.password });
const passwordBody = z.strictObject({ password: sentFields.password });
