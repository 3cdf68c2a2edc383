import { z } from 'zod';
import { userById } from '../accounts/users.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { accepted, type ConsoleReply, done, sentFields, writingRoute } from './console-route.ts';
import type { Guesses } from './guesses.ts';
import type { Identity } from './identity.ts';
import type { ConsoleParts } from './parts.ts';
import { afterPassword } from './password-sign-in.ts';

/** In and out again: by password, by a second factor after it, or by passkey. */
export function signInRoutes({ store }: ConsoleParts, people: Identity, slowly: Guesses): readonly Route[] {
  /** Signed in, in a browser that is known from now on. */
  async function arrived(exchange: Exchange, headers: readonly string[], userId: string): Promise<ConsoleReply> {
    const user = await userById(store.db, userId);
    return {
      value: { next: 'done' },
      headers: [...headers, ...(user ? slowly.devices.remember(exchange, user.email) : [])],
    };
  }

  return [
    writingRoute({ path: '/auth/sign-in', body: signIn }, async ({ exchange, body }) => {
      const answer = await slowly.password(exchange, body.email, () =>
        people.ask(exchange, (library, headers) => library.signInEmail({ body, headers, asResponse: true })),
      );
      if (answer.status >= 400 && answer.status < 500) throw new GatewayError('sign-in-refused');
      return afterPassword(slowly.devices, accepted(answer), { exchange, email: body.email });
    }),
    writingRoute(
      { path: '/auth/two-factor', body: z.strictObject({ code: sentFields.code }) },
      async ({ exchange, body }) => {
        const userId = await people.challenged(exchange);
        if (userId === undefined) throw new GatewayError('sign-in-refused', { detail: secondRefusal });
        const answer = await slowly.code(exchange, userId, () =>
          people.ask(exchange, (library, headers) => {
            const sent = { body: { code: body.code }, headers, asResponse: true } as const;
            return /^\d{6}$/.test(body.code) ? library.verifyTOTP(sent) : library.verifyBackupCode(sent);
          }),
        );
        return arrived(exchange, accepted(answer, secondRefusal).headers, userId);
      },
    ),
    writingRoute({ path: '/auth/sign-out' }, async ({ exchange }) => {
      const answer = await people.ask(exchange, (library, headers) => library.signOut({ headers, asResponse: true }));
      return { value: done, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/passkeys/sign-in/begin' }, async ({ exchange }) => {
      const answer = await people.ask(exchange, (library, headers) =>
        library.generatePasskeyAuthenticationOptions({ headers, asResponse: true }),
      );
      const { body, headers } = accepted(answer);
      return { value: { ...z.looseObject({}).parse(body), userVerification: 'required' }, headers };
    }),
    writingRoute({ path: '/auth/passkeys/sign-in/finish', body: passkey }, async ({ exchange, body }) => {
      const answer = await slowly.passkey(exchange, body.response.id, () =>
        people.ask(exchange, (library, headers) =>
          library.verifyPasskeyAuthentication({ body, headers, asResponse: true }),
        ),
      );
      const { headers, body: said } = accepted(answer, passkeyRefusal);
      return arrived(
        exchange,
        headers,
        z.object({ session: z.object({ userId: z.string() }) }).parse(said).session.userId,
      );
    }),
  ];
}

const signIn = z.strictObject({ email: sentFields.email, password: sentFields.password });
const encoded = z.string().max(10_000);
/** As `navigator.credentials.get` gives it, in JSON. */
const passkey = z.strictObject({
  response: z.object({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: encoded,
      authenticatorData: encoded,
      signature: encoded,
      userHandle: encoded.nullish().transform((handle) => handle ?? undefined),
    }),
    clientExtensionResults: z.looseObject({}).default({}),
  }),
});

const secondRefusal =
  'The code is wrong or was used already, or there were too many attempts. Take the newest code, or sign in again.';

const passkeyRefusal = 'This passkey is not known here, or the attempt took too long. Try again.';
