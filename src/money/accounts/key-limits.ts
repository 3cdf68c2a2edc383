import { setKeyMember } from '../billing/budgets/limit-changes.ts';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import type { Store } from '../../platform/store/store.ts';
import type { KeyId } from './ids.ts';
import type { KeyLimits } from './keys.ts';

interface KeySlotTerms {
  readonly accountId: string;
  readonly firstKeyId: string;
  readonly max: number | undefined;
  readonly member: { readonly id: string; readonly max: number | undefined } | undefined;
}

/** Changes a key. Running gateways apply the change within a second, as they do for a revocation. */
export async function limitKey(store: Store, id: KeyId, limits: KeyLimits): Promise<void> {
  const { name, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt } = limits;
  const { memberId, honourStreamFalse, reportCost, storeBodies } = limits;
  const change = {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models: models && JSON.stringify(models) }),
    ...(spendCap !== undefined && { spend_cap: spendCap === null ? null : String(spendCap) }),
    ...(capPeriod !== undefined && { cap_period: capPeriod }),
    ...(maxConcurrency !== undefined && { max_concurrency: maxConcurrency }),
    ...(addresses !== undefined && { addresses: addresses && JSON.stringify(addresses) }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(honourStreamFalse !== undefined && { honour_stream_false: honourStreamFalse ? 1 : 0 }),
    ...(reportCost !== undefined && { report_cost: reportCost ? 1 : 0 }),
    ...(storeBodies !== undefined && { store_bodies: storeBodies ? 1 : 0 }),
  };
  if (Object.keys(change).length === 0 && memberId === undefined) return;
  await store.transaction(async (tx) => {
    if (memberId !== undefined) await setKeyMember(tx, id, memberId);
    if (Object.keys(change).length === 0) return;
    await tx.updateTable('api_keys').set(change).where('id', '=', id).execute();
    await publishChange(tx, { topic: 'key', subject: id });
  });
}

export async function honouringKeys(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const query = store.db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where('honour_stream_false', '=', 1);
  return new Set((await query.execute()).map(({ id }) => id));
}

/** The concurrency limits of a key, which it shares with the keys that it replaced, and of its member. No `max`: none. */
export async function keySlotTerms(store: Store, id: string): Promise<KeySlotTerms | undefined> {
  const row = await store.db
    .selectFrom('api_keys')
    .leftJoin('console_members', (join) =>
      join
        .onRef('console_members.account_id', '=', 'api_keys.account_id')
        .onRef('console_members.user_id', '=', 'api_keys.member_id'),
    )
    .select(['api_keys.account_id', 'api_keys.first_id', 'api_keys.max_concurrency', 'api_keys.member_id'])
    .select('console_members.max_concurrency as member_max')
    .where('api_keys.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const member = row.member_id === null ? undefined : { id: row.member_id, max: row.member_max ?? undefined };
  return { accountId: row.account_id, firstKeyId: row.first_id, max: row.max_concurrency ?? undefined, member };
}
