import type { Store } from '../../store/store.ts';

/** The last checkpoint of a request that is not settled. */
export interface OpenCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
}

/** The checkpoint of a request that is running, or whose process expired and is not reaped yet. */
export async function openChargeOf(store: Store, requestId: string): Promise<OpenCharge | undefined> {
  const row = await store.db
    .selectFrom('open_charges')
    .select(['account_id', 'key_id', 'price_version'])
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row && { accountId: row.account_id, keyId: row.key_id, priceVersion: row.price_version };
}
