import { z } from 'zod';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { accepted, type ConsoleReply, done, sentFields, writingRoute } from './console-route.ts';
import type { Identity, LibraryAnswer } from './identity.ts';
import type { ConsoleParts } from './parts.ts';
import type { SlowDown } from './slow-down.ts';

/** In and out again: by password, by a second factor after it, or by passkey. */
export function signInRoutes(parts: ConsoleParts, people: Identity, slow: SlowDown): readonly Route[] {
  /** Whoever fails often waits before the answer, and does not learn from the wait which part was wrong. */
  async function attempted(
    { exchange, email }: { exchange: Exchange; email?: string },
    work: () => Promise<LibraryAnswer>,
  ): Promise<LibraryAnswer> {
    const attempt = { email, address: exchange.address };
    const delayMs = slow.begin(attempt);
    if (delayMs > 0) await parts.pause(delayMs, exchange.gone);
    const answer = await work();
    if (answer.status < 400) slow.forgive(attempt);
    return answer;
  }

  return [
    writingRoute({ path: '/auth/sign-in', body: signIn }, async ({ exchange, body }) => {
      const answer = await attempted({ exchange, email: body.email }, () =>
        people.ask(exchange, (library, headers) => library.signInEmail({ body, headers, asResponse: true })),
      );
      if (answer.status >= 400 && answer.status < 500) throw new GatewayError('sign-in-refused');
      const { body: said, headers } = accepted(answer);
      const { twoFactorRedirect } = z.object({ twoFactorRedirect: z.boolean().default(false) }).parse(said);
      return { value: { next: twoFactorRedirect ? 'two-factor' : 'done' }, headers };
    }),
    writingRoute(
      { path: '/auth/two-factor', body: z.strictObject({ code: sentFields.code }) },
      async ({ exchange, body }) => {
        const answer = await attempted({ exchange }, () =>
          people.ask(exchange, (library, headers) => {
            const sent = { body: { code: body.code }, headers, asResponse: true } as const;
            return /^\d{6}$/.test(body.code) ? library.verifyTOTP(sent) : library.verifyBackupCode(sent);
          }),
        );
        return next(accepted(answer, secondRefusal));
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
      const answer = await attempted({ exchange }, () =>
        people.ask(exchange, (library, headers) =>
          library.verifyPasskeyAuthentication({ body, headers, asResponse: true }),
        ),
      );
      return next(accepted(answer, 'This passkey is not known here, or the attempt took too long. Try again.'));
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

function next({ headers }: LibraryAnswer): ConsoleReply {
  return { value: { next: 'done' }, headers };
}
