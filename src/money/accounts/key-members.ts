import type { Store } from '../../platform/store/store.ts';

/** The members for whom these keys count, as user ids. Keys without a member are left out. */
export async function membersOfKeys(store: Store, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (keyIds.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('api_keys')
    .select(['id', 'member_id'])
    .where('id', 'in', [...keyIds])
    .execute();
  return new Map(rows.flatMap(({ id, member_id: member }) => (member === null ? [] : [[id, member] as const])));
}

/** Only this many keys are considered, the newest ones. */
const keysMax = 5000;

/** The keys of an account that count for a member. */
export async function keysOfMember(store: Store, accountId: string, userId: string): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .where('member_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(keysMax)
    .execute();
  return rows.map(({ id }) => id);
}
