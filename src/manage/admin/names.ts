import { z } from 'zod';
import { namesOf } from '../../money/accounts/names.ts';
import type { Store } from '../../platform/store/store.ts';

export const keyNameField = {
  key_name: z.string().nullable().describe('Name of the key. Null if it no longer exists.'),
};

/** Names for ids. Null if the account or the key no longer exists. */
export const nameFields = { account_name: z.string().nullable(), ...keyNameField };

interface OwnedName {
  readonly account_id: string | null;
  readonly key_id: string | null;
}

/** Adds the names of accounts and keys to rows, with one query per table. */
export async function named<Row extends OwnedName>(store: Store, rows: readonly Row[]) {
  const ids = rows.map(({ account_id: id }) => id);
  const accounts = await namesOf(store, 'accounts', ids);
  const withKeys = await withKeyNames(store, rows);
  return withKeys.map((row) => ({ ...row, account_name: nameIn(accounts, row.account_id) }));
}

/** Adds the names of keys to rows. Reads only the keys of these rows. */
export async function withKeyNames<Row extends Pick<OwnedName, 'key_id'>>(store: Store, rows: readonly Row[]) {
  const ids = rows.map(({ key_id: id }) => id);
  const keys = await namesOf(store, 'api_keys', ids);
  return rows.map((row) => ({ ...row, key_name: nameIn(keys, row.key_id) }));
}

function nameIn(names: ReadonlyMap<string, string>, id: string | null): string | null {
  return id === null ? null : (names.get(id) ?? null);
}
