import type { Kysely, Selectable } from 'kysely';
import { operatorRoleOf } from '../accounts/operators.ts';
import { readersOf } from '../accounts/readers.ts';
import { userById } from '../accounts/users.ts';
import type { Mailer } from '../deliveries/mailer.ts';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { turnAt, zoneOf } from './digests.ts';
import { digestFigures } from './figures.ts';

/** Digests written in one round; more wait for the next. */
const digestsPerRound = 50;

interface DigestParts {
  readonly store: Store;
  readonly mail: Pick<Mailer, 'settings' | 'post' | 'currency'>;
}

/**
 * Writes the digests that are due, however many processes try. What was told of, and the letters that tell it, are one
 * transaction: whoever dies before its end has written nothing, and whoever dies behind it has written all of it. From there on
 * they are letters like others, each sent at least once under one name. Without mail nothing is due, and nothing is skipped.
 */
export async function sendDigests({ store, mail }: DigestParts): Promise<void> {
  if (!mail.settings) return;
  const due = await store.db
    .selectFrom('digests')
    .selectAll()
    .where('due_at', '<=', databaseNow(store.db))
    .orderBy('due_at')
    .limit(digestsPerRound)
    .execute();
  const troubles: unknown[] = [];
  // One that cannot be written holds up none of the others; it is tried again in the next round.
  for (const row of due) {
    await store.transaction((tx) => send(tx, mail, row)).catch((error: unknown) => troubles.push(error));
  }
  if (troubles.length > 0) throw new AggregateError(troubles, `digests could not be written: ${String(troubles[0])}`);
}

type DigestRow = Selectable<Database['digests']>;

async function send(tx: Kysely<Database>, mail: DigestParts['mail'], row: DigestRow): Promise<void> {
  const { subject, account_id: accountId, user_id: userId, cadence, since } = row;
  const { now } = await tx.selectNoFrom(databaseNow(tx).as('now')).executeTakeFirstOrThrow();
  const timeZone = await zoneOf(tx, accountId);
  const { until, dueAt } = turnAt({ cadence, timeZone, now });
  // An account whose clocks were put back has told of that day already: it waits for the next one.
  const to = Math.max(until, since);
  const taken = await tx
    .updateTable('digests')
    .set({ since: to, due_at: dueAt })
    .where('subject', '=', subject)
    .where('since', '=', since)
    .where('due_at', '=', row.due_at)
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n || to === since) return;
  const readers = accountId === null ? await operatorAt(tx, subject, userId) : await readersOf(tx, accountId);
  const figures =
    readers.length === 0 ? undefined : await digestFigures(tx, accountId ?? undefined, { from: since, to });
  if (!figures) return;
  const name = accountId === null ? undefined : await accountName(tx, accountId);
  const span = { from: since, to, timeZone };
  const letter = { kind: 'digest', account: name, currency: mail.currency, span, figures } as const;
  const path = accountId === null ? '/app/operator/overview' : '/app/usage';
  for (const reader of readers) await mail.post(tx, { to: reader, subject: letter, path });
}

/** Who is no operator any more hears nothing of the gateway. */
async function operatorAt(tx: Kysely<Database>, subject: string, userId: string | null): Promise<readonly string[]> {
  const user = userId === null ? undefined : await userById(tx, userId);
  if (user && (await operatorRoleOf(tx, user.id)) !== undefined) return user.isVerified ? [user.email] : [];
  await tx.deleteFrom('digests').where('subject', '=', subject).execute();
  return [];
}

async function accountName(tx: Kysely<Database>, accountId: string): Promise<string> {
  const row = tx.selectFrom('accounts').select(['name', 'display_name']).where('id', '=', accountId);
  const { name, display_name: shown } = await row.executeTakeFirstOrThrow();
  return shown ?? name;
}
