import { encodeGroups } from '../../src/money/requests/rollups/usage-group.ts';
import type { Store } from '../../src/platform/store/store.ts';

/** Adds empty rollup deltas, which a reader of usage adds up before any later ones. It does not wait for 2,000 of them. */
export async function farBehind({ db }: Store, deltas: number): Promise<void> {
  const body = encodeGroups([]);
  const rows = Array.from({ length: deltas }, (_, index) => ({ id: `#${index}`, body }));
  await db.insertInto('usage_deltas').values(rows).execute();
}
