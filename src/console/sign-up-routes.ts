import { z } from 'zod';
import { noteSignUp, openSignUp, type SignUp, useSignUp } from '../accounts/sign-ups.ts';
import { createUser, languages, userByEmail } from '../accounts/users.ts';
import { sentFrom } from '../admin/sent-from.ts';
import { refused } from '../admin/sent-values.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { joined } from '../store/joined.ts';
import { accepted, deadLink, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { Door } from './door.ts';
import { emailQuota } from './email-quota.ts';
import { openOwnAccount } from './pending-sign-ups.ts';
import type { ConsoleParts } from './parts.ts';
import { passwordSignIn } from './password-sign-in.ts';
import { calledAt, siteOf } from './site.ts';
import { refusal, welcome } from './waiting-sign-ups.ts';
import { reason } from '../core/reasons/reason.ts';

/**
 * How strangers come where a site allows it. With a mail server nothing is made before the letter was answered, and nobody is
 * told whether an address is known; without one an account is there at once, and whoever asks for many addresses is slowed down.
 */
export function signUpRoutes(parts: ConsoleParts, door: Door): readonly Route[] {
  const { store, clock } = parts;
  const { people, slowly, waiting } = door;
  const countEmail = emailQuota(parts);

  /** What a stranger is written, in the same steps whoever it is. */
  async function write(exchange: Exchange, wish: Omit<SignUp, 'id'>): Promise<void> {
    await countEmail(exchange, wish.email);
    await store.transaction(async (tx) => {
      const known = await userByEmail(tx, wish.email);
      const secret = await noteSignUp({ ...parts, store: joined(store, tx) }, wish);
      const letter = known
        ? ({ subject: { kind: 'known' }, path: '/app/sign-in' } as const)
        : ({ subject: { kind: 'confirm' }, path: `/app/confirm?token=${secret}` } as const);
      const { language } = known ?? wish;
      await parts.mail.post(tx, { to: wish.email, language, address: calledAt(exchange), ...letter });
    });
  }

  /** Without mail: at once, as far as the address is free. */
  async function enter(exchange: Exchange, wish: Omit<SignUp, 'id'>): Promise<'known' | 'made'> {
    const { email, packageName, ...chosen } = wish;
    return store.transaction(
      async (tx) => {
        if (await userByEmail(tx, email)) return 'known';
        const user = await createUser(tx, clock, { email, ...chosen, isVerified: false });
        const inside = { store: joined(store, tx), clock };
        await openOwnAccount(inside, { user, packageName, from: sentFrom(exchange) });
        return 'made';
      },
      { lock: 'sign-up' },
    );
  }

  /** Somebody has shown that the address is theirs: now they are here. */
  async function confirm(exchange: Exchange, signUp: SignUp): Promise<void> {
    const { email, packageName, ...chosen } = signUp;
    await store.transaction(
      async (tx) => {
        const isFirst = await useSignUp(tx, signUp);
        if (!isFirst || (await userByEmail(tx, email))) throw deadLink();
        const user = await createUser(tx, clock, { email, ...chosen, isVerified: true });
        const inside = { store: joined(store, tx), clock };
        await openOwnAccount(inside, { user, packageName, from: sentFrom(exchange) });
      },
      { lock: 'sign-up' },
    );
  }

  async function opened(secret: string): Promise<SignUp> {
    const signUp = await openSignUp(parts, secret);
    if (!signUp || (await userByEmail(store.db, signUp.email))) throw deadLink();
    return signUp;
  }

  return [
    writingRoute({ path: '/auth/sign-up', body: newcomer }, async ({ exchange, body }) => {
      const site = siteOf(parts, exchange);
      if (!site?.signUp) throw new GatewayError('forbidden', { reason: reason('sign_up_closed') });
      const { email, name, password, language } = body;
      const passwordHash = await people.passwords.hash(password);
      const wish = { email, name, passwordHash, packageName: site.signUpPackage, language };
      if (parts.mail.settings) {
        await write(exchange, wish);
        return { value: { next: 'confirm' } };
      }
      const answer = await slowly.signUp(exchange, email, async () =>
        (await enter(exchange, wish)) === 'made' ? welcome : refusal,
      );
      if (answer === refusal) throw refused(reason('address_known'));
      return passwordSignIn(store, door, { exchange, email, password });
    }),
    writingRoute({ path: '/auth/sign-up/again', body: proof }, async ({ exchange, body: { email, password } }) => {
      const found = { signUp: undefined as SignUp | undefined };
      // Right or wrong, it is counted: whoever signed up with somebody else's address may not guess what they chose.
      await slowly.signUp(exchange, email, async () => {
        found.signUp = await waiting.find(email, password);
        return refusal;
      });
      if (!found.signUp) throw new GatewayError('sign-in-refused');
      await write(exchange, found.signUp);
      return { value: { next: 'confirm' } };
    }),
    readingRoute('/auth/sign-ups/:id', async ({ id }) => {
      const { email, name } = await opened(id);
      return { value: { email, name } };
    }),
    writingRoute({ path: '/auth/sign-ups/:id', body: password }, async ({ exchange, id, body }) => {
      const signUp = await opened(id);
      const { email } = signUp;
      // Somebody else may have signed up with this address: the reader of the letter has to know what was chosen.
      const answer = await slowly.password(exchange, email, async () =>
        (await people.passwords.verify({ hash: signUp.passwordHash, ...body })) ? welcome : refusal,
      );
      accepted(answer, 'wrong_sign_up_password');
      await confirm(exchange, signUp);
      return passwordSignIn(store, door, { exchange, email, password: body.password });
    }),
  ];
}

const newcomer = z.strictObject({
  email: sentFields.email,
  name: sentFields.name,
  password: sentFields.newPassword,
  language: z.enum(languages).optional(),
});
const proof = z.strictObject({ email: sentFields.email, password: sentFields.password });
const password = z.strictObject({ password: sentFields.password });
