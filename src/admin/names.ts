import { z } from 'zod';
import { namesOf } from '../accounts/names.ts';
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
  const idsIn = (field: keyof Owned) => rows.map((row) => row[field]);
  const accounts = await namesOf(store, 'accounts', idsIn('account_id'));
  const keys = await namesOf(store, 'api_keys', idsIn('key_id'));
  const nameIn = (names: ReadonlyMap<string, string>, id: string | null) =>
    id === null ? null : (names.get(id) ?? null);
  return rows.map((row) => ({
    ...row,
    account_name: nameIn(accounts, row.account_id),
    key_name: nameIn(keys, row.key_id),
  }));
}
