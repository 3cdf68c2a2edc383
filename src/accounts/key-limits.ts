import { publishChange } from '../cluster/change-feed.ts';
import type { Store } from '../store/store.ts';
import type { KeyId } from './ids.ts';
import type { KeyLimits } from './keys.ts';

/** Changes a key. Running gateways apply the change within a second, as they do for a revocation. */
export async function limitKey(store: Store, id: KeyId, limits: KeyLimits): Promise<void> {
  const { name, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt } = limits;
  const { honourStreamFalse, reportCost, storeBodies } = limits;
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
  if (Object.keys(change).length === 0) return;
  await store.transaction(async (tx) => {
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

/** The concurrency limit of a key, which it shares with the keys that it replaced. No `max`: no limit. */
export async function keySlotTerms(
  store: Store,
  id: string,
): Promise<{ readonly firstKeyId: string; readonly max: number | undefined } | undefined> {
  const query = store.db.selectFrom('api_keys').select(['max_concurrency', 'first_id']).where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row && { firstKeyId: row.first_id, max: row.max_concurrency ?? undefined };
}
