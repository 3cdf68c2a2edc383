import { z } from 'zod';
import { hasPassword } from '../../accounts/users.ts';
import { sentFrom } from '../../admin/audit/audit.ts';
import { missing, refused, invalidField } from '../../admin/api/sent-values.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { accepted, done, readingRoute, sentFields, wrongPassword, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { SignedIn } from '../identity.ts';
import type { ConsoleParts } from '../parts.ts';
import { broken, reason } from '../../core/reasons/reason.ts';

const keyList = z.array(z.object({ id: z.string(), name: z.string().nullish(), createdAt: z.string().nullish() }));
const begin = z.strictObject({ password: sentFields.password.optional() });
const finish = z.strictObject({ response: z.record(z.string(), z.unknown()), name: sentFields.name.optional() });

/** A user without a password must have signed in within this time. */
const freshMs = 10 * 60_000;

/** The passkeys of the user. A new one is another way to sign in, so an open session alone is not enough to add one. */
export function passkeyRoutes(
  { store, clock }: ConsoleParts,
  { identity, throttle, events }: AuthContext,
): readonly Route[] {
  async function requireProof(
    exchange: Exchange,
    { user, since }: SignedIn,
    password: string | undefined,
  ): Promise<void> {
    if (!(await hasPassword(store.db, user.id))) {
      if (clock.now() - since > freshMs) throw refused(reason('passkey_needs_fresh_sign_in'));
      return;
    }
    if (password === undefined) throw invalidField('password', broken('missing'), 'Send the current password.');
    const answer = await throttle.ownPassword(exchange, user.id, () =>
      identity.callLibrary(exchange, (library, headers) =>
        library.verifyPassword({ body: { password }, headers, asResponse: true }),
      ),
    );
    accepted(answer, wrongPassword);
  }

  async function keysOf(exchange: Exchange): Promise<z.output<typeof keyList>> {
    const answer = await identity.callLibrary(exchange, (library, headers) =>
      library.listPasskeys({ headers, asResponse: true }),
    );
    return keyList.parse(accepted(answer).body);
  }

  return [
    readingRoute('/auth/passkeys', async ({ exchange }) => {
      await identity.require(exchange);
      const shown = (await keysOf(exchange)).map(({ id, name, createdAt }) => {
        return { id, name: name ?? null, created_at: createdAt ?? null };
      });
      return { value: { data: shown } };
    }),
    writingRoute({ path: '/auth/passkeys/begin', body: begin }, async ({ exchange, body }) => {
      await requireProof(exchange, await identity.require(exchange), body.password);
      const answer = await identity.callLibrary(exchange, (library, headers) =>
        library.generatePasskeyRegistrationOptions({ headers, asResponse: true }),
      );
      return { value: accepted(answer).body, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/passkeys/finish', body: finish }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      const answer = await identity.callLibrary(exchange, (library, headers) =>
        library.verifyPasskeyRegistration({ body, headers, asResponse: true }),
      );
      const created = accepted(answer, 'passkey_unverified').body;
      const { id } = z.object({ id: z.string() }).parse(created);
      await events.record('addPasskey', user, { from: sentFrom(exchange), after: { passkey: body.name ?? id } });
      return { value: { id }, headers: answer.headers };
    }),
    writingRoute({ method: 'DELETE', path: '/auth/passkeys/:id' }, async ({ exchange, id }) => {
      const { user } = await identity.require(exchange);
      const key = (await keysOf(exchange)).find((each) => each.id === id);
      if (!key) throw missing('passkey');
      const answer = await identity.callLibrary(exchange, (library, headers) =>
        library.deletePasskey({ body: { id }, headers, asResponse: true }),
      );
      const { headers } = accepted(answer);
      await events.record('removePasskey', user, { from: sentFrom(exchange), before: { passkey: key.name ?? id } });
      return { value: done, headers };
    }),
  ];
}
