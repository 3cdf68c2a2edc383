import { sql } from 'kysely';
import { sizedRows } from '../store/sized-rows.ts';
import type { Store } from '../store/store.ts';

/** One link of a chain of responses, without its content. */
export interface ResponseLink {
  readonly id: string;
  readonly previousId: string | undefined;
  readonly bytes: number;
}

/** Sums of stored responses, and their deletion, with the references to them, because of age or quota. */
export const responseRows = sizedRows({
  table: 'kept_responses',
  id: 'id',
  at: 'created_at',
  sums: 'kept_sums',
  count: 'responses',
  batchSize: 200,
  deleteReferences: (tx, ids) => tx.deleteFrom('kept_items').where('response_id', 'in', ids).execute(),
});

/** A response of an account, if it is not older than `since`. */
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

/** A response and those before it in the conversation, the newest first, as far as they are stored. */
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

/** The encrypted contents of several responses of an account, by id. */
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

/** The response ids of these items of an account, by item id. */
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

/** Deletes a response of an account, and returns whether it existed. */
export async function deleteResponse(store: Store, accountId: string, id: string): Promise<boolean> {
  return store.transaction(async (tx) => (await responseRows.delete(tx, [id], accountId)) > 0);
}
