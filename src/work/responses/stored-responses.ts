import { sql } from 'kysely';
import { SealedBlobs } from '../../platform/blobs/sealed-blobs.ts';
import { databaseNowPlus } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';

export interface ResponseLink {
  readonly id: string;
  readonly previousId: string | undefined;
  readonly bytes: number;
}

export const storedResponses = new SealedBlobs({
  kind: 'responses',
  batchSize: 200,
  deleteReferences: (tx, ids) => tx.deleteFrom('stored_items').where('response_id', 'in', ids).execute(),
});

/** The newest first. The order of a cross join is fixed on SQLite: otherwise each step reads the whole account. */
export async function responseChain(
  store: Store,
  from: { readonly id: string; readonly accountId: string; readonly keepMs: number; readonly linksMax: number },
): Promise<readonly ResponseLink[]> {
  const { id, accountId, keepMs, linksMax } = from;
  const since = databaseNowPlus(store.db, -keepMs);
  const { rows } = await sql<{ id: string; previous_id: string | null; bytes: number }>`
    with recursive chain(id, previous_id, bytes, step) as (
      select id, previous_id, bytes, 1 from sealed_blobs
      where kind = 'responses' and id = ${id} and account_id = ${accountId} and created_at >= ${since}
      union all
      select earlier.id, earlier.previous_id, earlier.bytes, chain.step + 1
      from chain cross join sealed_blobs as earlier
      where earlier.kind = 'responses' and earlier.id = chain.previous_id
        and earlier.account_id = ${accountId} and earlier.created_at >= ${since} and chain.step < ${linksMax}
    ) select id, previous_id, bytes from chain order by step`.execute(store.db);
  return rows.map((row) => ({ id: row.id, previousId: row.previous_id ?? undefined, bytes: row.bytes }));
}

export async function responsesOfItems(
  store: Store,
  accountId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (itemIds.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('stored_items')
    .select(['item_id', 'response_id'])
    .where('account_id', '=', accountId)
    .where('item_id', 'in', itemIds)
    .execute();
  return new Map(rows.map((row) => [row.item_id, row.response_id]));
}

/** Deletes a response of an account, and returns whether it existed. */
export async function deleteResponse(store: Store, accountId: string, id: string): Promise<boolean> {
  return store.transaction(async (tx) => (await storedResponses.delete(tx, [id], accountId)) > 0);
}
