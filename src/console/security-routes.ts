import { z } from 'zod';
import { missing, refused } from '../admin/sent-values.ts';
import { isoTime } from '../admin/wire.ts';
import type { Route } from '../http/route.ts';
import { accepted, done, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { Guesses } from './guesses.ts';
import type { Identity } from './identity.ts';
import type { ConsoleParts } from './parts.ts';

/** What users do about their own safety: password, second factor, passkeys, and where they are signed in. */
export function securityRoutes(parts: ConsoleParts, people: Identity, slowly: Guesses): readonly Route[] {
  return [
    ...passwordRoutes(people, slowly),
    ...totpRoutes(people, slowly),
    ...passkeyRoutes(people),
    ...sessionRoutes(parts, people),
  ];
}

/** What the library says, as far as it is passed on. */
const begun = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });
const renewed = z.object({ backupCodes: z.array(z.string()) });
const keyList = z.array(z.object({ id: z.string(), name: z.string().nullish(), createdAt: z.string().nullish() }));

const wrongPassword = 'The current password is wrong.';

function passwordRoutes(people: Identity, slowly: Guesses): readonly Route[] {
  const body = z.strictObject({ current: sentFields.password, next: sentFields.newPassword });
  return [
    writingRoute({ path: '/auth/password', body }, async ({ exchange, body: { current, next } }) => {
      const { user } = await people.require(exchange);
      // Everywhere else someone may be signed in who should not be; here a new session takes the place of the old.
      const sent = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
      const answer = await slowly.ownPassword(exchange, user.id, () =>
        people.ask(exchange, (library, headers) => library.changePassword({ body: sent, headers, asResponse: true })),
      );
      return { value: done, headers: accepted(answer, wrongPassword).headers };
    }),
  ];
}

function totpRoutes(people: Identity, slowly: Guesses): readonly Route[] {
  const password = z.strictObject({ password: sentFields.password });
  const code = z.strictObject({ code: sentFields.code });
  return [
    writingRoute({ path: '/auth/totp/begin', body: password }, async ({ exchange, body }) => {
      const { user } = await people.require(exchange);
      if (user.hasTwoFactor) throw refused('A second factor is set up already. Turn it off before you set up another.');
      const answer = await slowly.ownPassword(exchange, user.id, () =>
        people.ask(exchange, (library, headers) => library.enableTwoFactor({ body, headers, asResponse: true })),
      );
      const said = accepted(answer, wrongPassword).body;
      const { totpURI: uri, backupCodes } = begun.parse(said);
      const secret = new URL(uri).searchParams.get('secret');
      return { value: { uri, secret, backup_codes: backupCodes }, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/totp/confirm', body: code }, async ({ exchange, body }) => {
      const { user } = await people.require(exchange);
      const answer = await slowly.code(exchange, user.id, () =>
        people.ask(exchange, (library, headers) => library.verifyTOTP({ body, headers, asResponse: true })),
      );
      return {
        value: done,
        headers: accepted(answer, 'The code is wrong or was used already. Type the one that is shown now.').headers,
      };
    }),
    writingRoute({ path: '/auth/totp/backup-codes', body: password }, async ({ exchange, body }) => {
      const { user } = await people.require(exchange);
      if (!user.hasTwoFactor) throw refused('There is no second factor yet. Set it up, and backup codes come with it.');
      const answer = await slowly.ownPassword(exchange, user.id, () =>
        people.ask(exchange, (library, headers) => library.generateBackupCodes({ body, headers, asResponse: true })),
      );
      const { backupCodes } = renewed.parse(accepted(answer, wrongPassword).body);
      return { value: { backup_codes: backupCodes }, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/totp/disable', body: password }, async ({ exchange, body }) => {
      const { user } = await people.require(exchange);
      const answer = await slowly.ownPassword(exchange, user.id, () =>
        people.ask(exchange, (library, headers) => library.disableTwoFactor({ body, headers, asResponse: true })),
      );
      return { value: done, headers: accepted(answer, wrongPassword).headers };
    }),
  ];
}

function passkeyRoutes(people: Identity): readonly Route[] {
  const finish = z.strictObject({ response: z.record(z.string(), z.unknown()), name: sentFields.name.optional() });
  return [
    readingRoute('/auth/passkeys', async ({ exchange }) => {
      await people.require(exchange);
      const { body } = accepted(
        await people.ask(exchange, (library, headers) => library.listPasskeys({ headers, asResponse: true })),
      );
      const keys = keyList.parse(body);
      return {
        value: {
          data: keys.map(({ id, name, createdAt }) => ({ id, name: name ?? null, created_at: createdAt ?? null })),
        },
      };
    }),
    writingRoute({ path: '/auth/passkeys/begin' }, async ({ exchange }) => {
      await people.require(exchange);
      const answer = await people.ask(exchange, (library, headers) =>
        library.generatePasskeyRegistrationOptions({ headers, asResponse: true }),
      );
      return { value: accepted(answer).body, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/passkeys/finish', body: finish }, async ({ exchange, body }) => {
      await people.require(exchange);
      const answer = await people.ask(exchange, (library, headers) =>
        library.verifyPasskeyRegistration({ body, headers, asResponse: true }),
      );
      const said = accepted(answer, 'The passkey could not be verified. Begin again.').body;
      const { id } = z.object({ id: z.string() }).parse(said);
      return { value: { id }, headers: answer.headers };
    }),
    writingRoute({ method: 'DELETE', path: '/auth/passkeys/:id' }, async ({ exchange, id }) => {
      await people.require(exchange);
      const answer = await people.ask(exchange, (library, headers) =>
        library.deletePasskey({ body: { id }, headers, asResponse: true }),
      );
      if (answer.status >= 400 && answer.status < 500) throw missing('passkey');
      return { value: done, headers: accepted(answer).headers };
    }),
  ];
}

function sessionRoutes({ store, clock }: ConsoleParts, people: Identity): readonly Route[] {
  return [
    readingRoute('/auth/sessions', async ({ exchange }) => {
      const { user, sessionId } = await people.require(exchange);
      const rows = await store.db
        .selectFrom('console_sessions')
        .select(['id', 'created_at', 'updated_at', 'expires_at', 'ip_address', 'user_agent'])
        .where('user_id', '=', user.id)
        .execute();
      const now = clock.now();
      const open = rows.filter((row) => timeOf(row.expires_at) > now);
      const shown = open.map((row) => ({
        id: row.id,
        current: row.id === sessionId,
        created_at: isoTime(timeOf(row.created_at)),
        last_used_at: isoTime(timeOf(row.updated_at)),
        address: row.ip_address || null,
        user_agent: row.user_agent,
      }));
      return { value: { data: shown.toSorted((a, b) => b.last_used_at.localeCompare(a.last_used_at)) } };
    }),
    writingRoute({ method: 'DELETE', path: '/auth/sessions/:id' }, async ({ exchange, id }) => {
      const { user } = await people.require(exchange);
      const own = store.db.deleteFrom('console_sessions').where('user_id', '=', user.id);
      const ended = await own.where('id', '=', id).executeTakeFirst();
      if (ended.numDeletedRows === 0n) throw missing('session');
      return { value: done };
    }),
    writingRoute({ path: '/auth/sessions/end-others' }, async ({ exchange }) => {
      const { user, sessionId } = await people.require(exchange);
      const own = store.db.deleteFrom('console_sessions').where('user_id', '=', user.id);
      const ended = await own.where('id', '<>', sessionId).executeTakeFirst();
      return { value: { ended: Number(ended.numDeletedRows) } };
    }),
  ];
}

function timeOf(time: Date | string): number {
  return new Date(time).getTime();
}
