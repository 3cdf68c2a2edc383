import { z } from 'zod';
import { missing, refused, invalidField } from '../../admin/api/sent-values.ts';
import { renameUser, hasPassword } from '../../../money/accounts/users.ts';
import { sentFrom } from '../../admin/api/audit.ts';
import { isoTime } from '../../admin/api/wire.ts';
import type { Route } from '../../../serving/http/route.ts';
import { accepted, done, readingRoute, sentFields, wrongPassword, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import { reason, broken } from 'chat-formats/reasons/reason.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { SignedIn } from '../identity.ts';

/** A user's own name, password, second factor, passkeys and sessions. */
export function securityRoutes(parts: ConsoleParts, auth: AuthContext): readonly Route[] {
  return [
    nameRoute(parts, auth),
    ...passwordRoutes(auth),
    ...totpRoutes(auth),
    ...passkeyRoutes(parts, auth),
    ...sessionRoutes(parts, auth),
  ];
}

/** The fields of the library's answers that are sent on. */
const totpSetup = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });
const backupCodeList = z.object({ backupCodes: z.array(z.string()) });

function nameRoute({ store, clock }: ConsoleParts, { identity, events }: AuthContext): Route {
  const body = z.strictObject({ name: sentFields.name });
  return writingRoute({ path: '/auth/name', body }, async ({ exchange, body: { name } }) => {
    const { user } = await identity.require(exchange);
    await renameUser(store.db, clock, { userId: user.id, name });
    const [before, after] = [user.name, name].map((each) => ({ name: each, email: user.email }));
    if (user.name !== name) await events.record('changeName', user, { from: sentFrom(exchange), before, after });
    return { value: { name } };
  });
}

function passwordRoutes({ identity, throttle, events }: AuthContext): readonly Route[] {
  const body = z.strictObject({ current: sentFields.password, next: sentFields.newPassword });
  return [
    writingRoute({ path: '/auth/password', body }, async ({ exchange, body: { current, next } }) => {
      const { user } = await identity.require(exchange);
      // Another person may be signed in elsewhere, so all other sessions end. This browser gets a new session.
      const sent = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
      const answer = await throttle.ownPassword(exchange, user.id, () =>
        identity.callLibrary(exchange, (library, given) => library.changePassword({ body: sent, ...given })),
      );
      const { headers } = accepted(answer, wrongPassword);
      await events.record('changePassword', user, { from: sentFrom(exchange) });
      return { value: done, headers };
    }),
  ];
}

function totpRoutes({ identity, throttle, events }: AuthContext): readonly Route[] {
  const password = z.strictObject({ password: sentFields.password });
  const code = z.strictObject({ code: sentFields.code });
  return [
    writingRoute({ path: '/auth/totp/begin', body: password }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      if (user.hasTwoFactor) throw refused(reason('second_factor_exists'));
      const answer = await throttle.ownPassword(exchange, user.id, () =>
        identity.callLibrary(exchange, (library, given) => library.enableTwoFactor({ body, ...given })),
      );
      const setup = accepted(answer, wrongPassword).body;
      const { totpURI: uri, backupCodes } = totpSetup.parse(setup);
      const secret = new URL(uri).searchParams.get('secret');
      return { value: { uri, secret, backup_codes: backupCodes }, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/totp/confirm', body: code }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      const answer = await throttle.code(exchange, user.id, () =>
        identity.callLibrary(exchange, (library, given) => library.verifyTOTP({ body, ...given })),
      );
      const { headers } = accepted(answer, 'one_time_code_wrong');
      // A client that got no answer confirms again; record the setup once.
      if (!user.hasTwoFactor) await events.record('setUpSecondFactor', user, { from: sentFrom(exchange) });
      return { value: done, headers };
    }),
    writingRoute({ path: '/auth/totp/backup-codes', body: password }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      if (!user.hasTwoFactor) throw refused(reason('second_factor_missing'));
      const answer = await throttle.ownPassword(exchange, user.id, () =>
        identity.callLibrary(exchange, (library, given) => library.generateBackupCodes({ body, ...given })),
      );
      const { backupCodes } = backupCodeList.parse(accepted(answer, wrongPassword).body);
      await events.record('renewBackupCodes', user, { from: sentFrom(exchange) });
      return { value: { backup_codes: backupCodes }, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/totp/disable', body: password }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      const answer = await throttle.ownPassword(exchange, user.id, () =>
        identity.callLibrary(exchange, (library, given) => library.disableTwoFactor({ body, ...given })),
      );
      const { headers } = accepted(answer, wrongPassword);
      if (user.hasTwoFactor) await events.record('turnOffSecondFactor', user, { from: sentFrom(exchange) });
      return { value: done, headers };
    }),
  ];
}

function sessionRoutes({ store, clock }: ConsoleParts, { identity, events }: AuthContext): readonly Route[] {
  return [
    readingRoute('/auth/sessions', async ({ exchange }) => {
      const { user, sessionId } = await identity.require(exchange);
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
      const { user } = await identity.require(exchange);
      const own = store.db.deleteFrom('console_sessions').where('user_id', '=', user.id);
      const ended = await own.where('id', '=', id).executeTakeFirst();
      if (ended.numDeletedRows === 0n) throw missing('session');
      await events.record('endSession', user, { from: sentFrom(exchange) });
      return { value: done };
    }),
    writingRoute({ path: '/auth/sessions/end-others' }, async ({ exchange }) => {
      const { user, sessionId } = await identity.require(exchange);
      const own = store.db.deleteFrom('console_sessions').where('user_id', '=', user.id);
      const ended = await own.where('id', '<>', sessionId).executeTakeFirst();
      if (ended.numDeletedRows > 0n) await events.record('endOtherSessions', user, { from: sentFrom(exchange) });
      return { value: { ended: Number(ended.numDeletedRows) } };
    }),
  ];
}

function timeOf(time: Date | string): number {
  return new Date(time).getTime();
}

const keyList = z.array(z.object({ id: z.string(), name: z.string().nullish(), createdAt: z.string().nullish() }));
const begin = z.strictObject({ password: sentFields.password.optional() });
const finish = z.strictObject({
  response: z.looseObject({
    response: z.looseObject({ clientDataJSON: sentFields.clientData, attestationObject: sentFields.attestation }),
  }),
  name: sentFields.name.optional(),
});

/** A user without a password must have signed in within this time. */
const freshMs = 10 * 60_000;

/** The passkeys of the user. A new one is another way to sign in, so an open session alone is not enough to add one. */
function passkeyRoutes({ store, clock }: ConsoleParts, { identity, throttle, events }: AuthContext): readonly Route[] {
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
      identity.callLibrary(exchange, (library, given) => library.verifyPassword({ body: { password }, ...given })),
    );
    accepted(answer, wrongPassword);
  }

  async function keysOf(exchange: Exchange): Promise<z.output<typeof keyList>> {
    const answer = await identity.callLibrary(exchange, (library, given) => library.listPasskeys(given));
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
      const answer = await identity.callLibrary(exchange, (library, given) =>
        library.generatePasskeyRegistrationOptions(given),
      );
      return { value: accepted(answer).body, headers: answer.headers };
    }),
    writingRoute({ path: '/auth/passkeys/finish', body: finish }, async ({ exchange, body }) => {
      const { user } = await identity.require(exchange);
      const answer = await identity.callLibrary(exchange, (library, given) =>
        library.verifyPasskeyRegistration({ body, ...given }),
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
      const answer = await identity.callLibrary(exchange, (library, given) =>
        library.deletePasskey({ body: { id }, ...given }),
      );
      const { headers } = accepted(answer);
      await events.record('removePasskey', user, { from: sentFrom(exchange), before: { passkey: key.name ?? id } });
      return { value: done, headers };
    }),
  ];
}
