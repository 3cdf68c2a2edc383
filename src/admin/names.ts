import { z } from 'zod';
import { namesOf } from '../accounts/names.ts';
import type { Store } from '../store/store.ts';

/** What a key is called; null where there is none, or it is gone. */
export const keyNameField = { key_name: z.string().nullable().describe('What the key is called; null if it is gone.') };

/** What ids are called; null where the thing is gone. */
export const nameFields = { account_name: z.string().nullable(), ...keyNameField };

interface OwnedName {
  readonly account_id: string | null;
  readonly key_id: string | null;
}

/** The same rows with the names of their accounts and keys, read once for all of them. */
export async function named<Row extends OwnedName>(store: Store, rows: readonly Row[]) {
  const accounts = await namesOf(
    store,
    'accounts',
    rows.map(({ account_id: id }) => id),
  );
  const withKeys = await withKeyNames(store, rows);
  return withKeys.map((row) => ({ ...row, account_name: nameIn(accounts, row.account_id) }));
}

/** The same rows with the names of exactly their keys, however many keys the account has. */
export async function withKeyNames<Row extends Pick<OwnedName, 'key_id'>>(store: Store, rows: readonly Row[]) {
  const keys = await namesOf(
    store,
    'api_keys',
    rows.map(({ key_id: id }) => id),
  );
  return rows.map((row) => ({ ...row, key_name: nameIn(keys, row.key_id) }));
}

function nameIn(names: ReadonlyMap<string, string>, id: string | null): string | null {
  return id === null ? null : (names.get(id) ?? null);
}
