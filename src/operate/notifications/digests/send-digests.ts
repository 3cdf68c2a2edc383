import type { Kysely, Selectable } from 'kysely';
import { operatorRoleOf } from '../../../money/accounts/operators.ts';
import { readersOf } from '../../../money/accounts/readers.ts';
import { userById } from '../../../money/accounts/users.ts';
import { catchUp } from '../../../money/requests/rollups/rollup-worker.ts';
import { accountName, type Mailer } from '../email/mailer.ts';
import type { Database } from '../../../platform/store/database.ts';
import { databaseNow, readDatabaseTime } from '../../../platform/store/engine.ts';
import type { Store } from '../../../platform/store/store.ts';
import { periodAt, zoneOf } from './digests.ts';
import { digestFigures } from '../email/figures.ts';

/** Digests per run. The others follow in the next run. */
const digestsPerRun = 50;

interface DigestParts {
  readonly store: Store;
  readonly mail: Pick<Mailer, 'settings' | 'post' | 'currency'>;
}

/**
 * Creates the e-mails of all due digests. Several processes may run this at once. The reported span and its e-mails are
 * one transaction: a crash leaves either all of a digest or nothing. After that they are ordinary e-mails, each sent at
 * least once under one id. Without mail settings nothing is due, and no period is skipped.
 */
export async function sendDigests({ store, mail }: DigestParts): Promise<void> {
  if (!mail.settings) return;
  const due = await store.db
    .selectFrom('digests')
    .selectAll()
    .where('due_at', '<=', databaseNow(store.db))
    .orderBy('due_at')
    .limit(digestsPerRun)
    .execute();
  // Usage is read from the rollups. If they are far behind the requests, the digests wait for the next run.
  if (due.length === 0 || !(await catchUp(store))) return;
  const errors: unknown[] = [];
  // A digest that fails does not block the others. It is retried in the next run.
  for (const row of due) {
    await store.transaction((tx) => send(tx, mail, row)).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, `digests could not be created: ${String(errors[0])}`);
}

type DigestRow = Selectable<Database['digests']>;

async function send(tx: Kysely<Database>, mail: DigestParts['mail'], row: DigestRow): Promise<void> {
  const { subject, account_id: accountId, user_id: userId, cadence, since } = row;
  const now = await readDatabaseTime(tx);
  const timeZone = await zoneOf(tx, accountId);
  const { until, dueAt } = periodAt({ cadence, timeZone, now });
  // If the account's time zone moved back, this period was already reported. Wait for the next one.
  const to = Math.max(until, since);
  const claimed = await tx
    .updateTable('digests')
    .set({ since: to, due_at: dueAt })
    .where('subject', '=', subject)
    .where('since', '=', since)
    .where('due_at', '=', row.due_at)
    .executeTakeFirst();
  if (claimed.numUpdatedRows === 0n || to === since) return;
  const recipients = accountId === null ? await operatorEmail(tx, subject, userId) : await readersOf(tx, accountId);
  const figures =
    recipients.length === 0 ? undefined : await digestFigures(tx, accountId ?? undefined, { from: since, to });
  if (!figures) return;
  const content = { currency: mail.currency, span: { from: since, to, timeZone }, figures };
  const account = accountId === null ? undefined : await accountName(tx, accountId);
  const kind = accountId === null ? 'gateway-digest' : 'account-digest';
  const path = accountId === null ? '/app/operator/overview' : '/app/usage';
  for (const recipient of recipients)
    await mail.post(tx, { to: recipient, subject: { kind, account, ...content }, path });
}

/** Deletes the digest of a user who is no longer an operator. */
async function operatorEmail(tx: Kysely<Database>, subject: string, userId: string | null): Promise<readonly string[]> {
  const user = userId === null ? undefined : await userById(tx, userId);
  if (user && (await operatorRoleOf(tx, user.id)) !== undefined) return user.isVerified ? [user.email] : [];
  await tx.deleteFrom('digests').where('subject', '=', subject).execute();
  return [];
}
