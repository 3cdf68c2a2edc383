import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/** One link of a chain of responses, without what it says. */
export interface ResponseLink {
  readonly id: string;
  readonly previousId: string | undefined;
  readonly bytes: number;
}

/** What an account has in the store. */
export interface KeptSum {
  readonly accountId: string;
  /** Its name. */
  readonly account: string;
  readonly responses: number;
  readonly bytes: number;
}

/** Of too many or too old ones, so many are deleted at a time. */
const deletedAtOnce = 200;

/** One response of an account that is not older than that. */
export async function findResponse(
  store: Store,
  { id, accountId, since }: { readonly id: string; readonly accountId: string; readonly since: number },
): Promise<{ readonly model: string; readonly sealed: string } | undefined> {
  return store.db
    .selectFrom('kept_responses')
    .select(['model', 'sealed'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .executeTakeFirst();
}

/** The response and those it goes on from, the newest first, as far as they are there. */
export async function responseChain(
  store: Store,
  from: { readonly id: string; readonly accountId: string; readonly since: number; readonly linksMax: number },
): Promise<readonly ResponseLink[]> {
  const { id, accountId, since, linksMax } = from;
  const { rows } = await sql<{ id: string; previous_id: string | null; bytes: number }>`
    with recursive chain(id, previous_id, bytes, step) as (
      select id, previous_id, bytes, 1 from kept_responses
      where id = ${id} and account_id = ${accountId} and created_at >= ${since}
      union all
      select earlier.id, earlier.previous_id, earlier.bytes, chain.step + 1
      from kept_responses as earlier join chain on earlier.id = chain.previous_id
      where earlier.account_id = ${accountId} and earlier.created_at >= ${since} and chain.step < ${linksMax}
    ) select id, previous_id, bytes from chain order by step`.execute(store.db);
  return rows.map((row) => ({ id: row.id, previousId: row.previous_id ?? undefined, bytes: row.bytes }));
}

/** What several responses of an account say, sealed, by their ids. */
export async function sealedResponses(
  store: Store,
  { ids, accountId, since }: { readonly ids: readonly string[]; readonly accountId: string; readonly since: number },
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('kept_responses')
    .select(['id', 'sealed'])
    .where('id', 'in', ids)
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .execute();
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}

/** Which responses these items of an account belong to. */
export async function responsesOfItems(
  store: Store,
  accountId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (itemIds.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('kept_items')
    .select(['item_id', 'response_id'])
    .where('account_id', '=', accountId)
    .where('item_id', 'in', itemIds)
    .execute();
  return new Map(rows.map((row) => [row.item_id, row.response_id]));
}

/** Deletes a response of an account, and says whether there was one. */
export async function deleteResponse(store: Store, accountId: string, id: string): Promise<boolean> {
  return store.transaction(async (tx) => (await deleteAll(tx, [id], accountId)) > 0);
}

/** Deletes some of those that are older than that, and says whether there may be more. */
export async function deleteOlder(store: Store, before: number): Promise<boolean> {
  const rows = await store.db
    .selectFrom('kept_responses')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(deletedAtOnce)
    .execute();
  if (rows.length > 0)
    await store.transaction((tx) =>
      deleteAll(
        tx,
        rows.map(({ id }) => id),
      ),
    );
  return rows.length === deletedAtOnce;
}

/** Deletes the oldest of an account until so many bytes are freed. The newest one stays, however large it is. */
export async function deleteOldest(
  store: Store,
  newest: string,
  { accountId, excess }: { readonly accountId: string; readonly excess: number },
): Promise<void> {
  const oldest = await store.db
    .selectFrom('kept_responses')
    .select(['id', 'bytes'])
    .where('account_id', '=', accountId)
    .where('id', '!=', newest)
    .orderBy('created_at')
    .limit(deletedAtOnce)
    .execute();
  let left = excess;
  const ids: string[] = [];
  for (const { id, bytes } of oldest) {
    if (left <= 0) break;
    ids.push(id);
    left -= bytes;
  }
  if (ids.length > 0) await store.transaction((tx) => deleteAll(tx, ids));
}

/** How many there are and how large they are, of the accounts that have most: never what is in them. */
export async function keptSums(store: Store, accountsMax: number): Promise<readonly KeptSum[]> {
  const rows = await store.db
    .selectFrom('kept_sums')
    .leftJoin('accounts', 'accounts.id', 'kept_sums.account_id')
    .select(['account_id', 'accounts.name', 'responses', 'bytes'])
    .where('responses', '>', 0)
    .orderBy('bytes', 'desc')
    .limit(accountsMax)
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    account: row.name ?? row.account_id,
    responses: row.responses,
    bytes: row.bytes,
  }));
}

/** The same of all accounts together. */
export async function keptTotal(store: Store): Promise<Pick<KeptSum, 'responses' | 'bytes'>> {
  const { responses, bytes } = await store.db
    .selectFrom('kept_sums')
    .select((all) => [all.fn.sum('responses').as('responses'), all.fn.sum('bytes').as('bytes')])
    .executeTakeFirstOrThrow();
  return { responses: Number(responses ?? 0), bytes: Number(bytes ?? 0) };
}

type Handle = Transaction<Database>;

/** Adds to what an account has. */
async function addUp(tx: Handle, { accountId, responses, bytes }: Omit<KeptSum, 'account'>): Promise<void> {
  await tx
    .insertInto('kept_sums')
    .values({ account_id: accountId, responses, bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        responses: sql`kept_sums.responses + excluded.responses`,
        bytes: sql`kept_sums.bytes + excluded.bytes`,
      }),
    )
    .execute();
}

/** Deletes responses with what points at them, and takes them off the sums. */
async function deleteAll(tx: Handle, ids: readonly string[], accountId?: string): Promise<number> {
  if (ids.length === 0) return 0;
  const deleted = await tx
    .deleteFrom('kept_responses')
    .where('id', 'in', ids)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .returning(['id', 'account_id', 'bytes'])
    .execute();
  if (deleted.length === 0) return 0;
  await tx
    .deleteFrom('kept_items')
    .where(
      'response_id',
      'in',
      deleted.map(({ id }) => id),
    )
    .execute();
  // In one order everywhere, so that two processes never lock each other out.
  for (const account of [...new Set(deleted.map(({ account_id: id }) => id))].sort()) {
    const own = deleted.filter(({ account_id: id }) => id === account);
    const bytes = own.reduce((sum, row) => sum + row.bytes, 0);
    await addUp(tx, { accountId: account, responses: -own.length, bytes: -bytes });
  }
  return deleted.length;
}
