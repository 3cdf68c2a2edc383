import type { Store } from '../store/store.ts';
import type { OpenHold } from './hold.ts';

const rowsMax = 200;

/** Notes what long requests have cost so far, so that a crash loses no more than the time between two notes. */
export async function saveCheckpoints(store: Store, processId: string, open: Iterable<OpenHold>): Promise<void> {
  const rows = [...open].flatMap((hold) => {
    const cost = hold.costSoFar;
    const { requestId, accountId, keyId, priceVersion } = hold.name;
    const row = { request_id: requestId, account_id: accountId, key_id: keyId, price_version: priceVersion };
    return cost > 0n ? [{ ...row, process_id: processId, cost }] : [];
  });
  for (let start = 0; start < rows.length; start += rowsMax) {
    await store.db
      .insertInto('open_charges')
      .values(rows.slice(start, start + rowsMax))
      .onConflict((conflict) =>
        conflict.column('request_id').doUpdateSet((row) => ({ cost: row.ref('excluded.cost') })),
      )
      .execute();
  }
}
