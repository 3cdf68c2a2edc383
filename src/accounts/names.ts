import type { Store } from '../store/store.ts';

/** What people call those accounts or keys, by id; those that are gone are not mentioned. */
export async function namesOf(
  store: Store,
  table: 'accounts' | 'api_keys',
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom(table)
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
