import { z } from 'zod';
import type { Store } from '../store/store.ts';

/** What ids are called; null where the thing is gone. */
export const nameFields = {
  account_name: z.string().nullable(),
  key_name: z.string().nullable(),
};

interface Owned {
  readonly account_id: string | null;
  readonly key_id: string | null;
}

/** The same rows with the names of their accounts and keys, read once for all of them. */
export async function named<Row extends Owned>(store: Store, rows: readonly Row[]) {
  const accounts = await namesIn(
    store,
    'accounts',
    rows.map((row) => row.account_id),
  );
  const keys = await namesIn(
    store,
    'api_keys',
    rows.map((row) => row.key_id),
  );
  const nameIn = (names: ReadonlyMap<string, string>, id: string | null) =>
    id === null ? null : (names.get(id) ?? null);
  return rows.map((row) => ({
    ...row,
    account_name: nameIn(accounts, row.account_id),
    key_name: nameIn(keys, row.key_id),
  }));
}

async function namesIn(
  { db }: Store,
  table: 'accounts' | 'api_keys',
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', wanted).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
