import { shownName } from './accounts.ts';
import type { Store } from '../../platform/store/store.ts';

/** Names of accounts, organisations, keys, tokens or webhook endpoints, by id. Ids that no longer exist are left out. */
export async function namesOf(
  store: Store,
  table: 'accounts' | 'organisations' | 'api_keys' | 'admin_tokens' | 'delivery_endpoints',
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows =
    table === 'accounts'
      ? await store.db.selectFrom('accounts').select(['id', shownName]).where('id', 'in', wanted).execute()
      : await store.db.selectFrom(table).select(['id', 'name']).where('id', 'in', wanted).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The e-mail addresses of users, by id. */
export async function emailsOf(
  { db }: Pick<Store, 'db'>,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom('console_users').select(['id', 'email']).where('id', 'in', wanted).execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}
