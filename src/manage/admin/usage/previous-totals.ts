import { firstUsage, rollupTotals, type SpanQuery } from '../../../money/requests/rollups/usage-rollups.ts';
import type { RollupSums } from '../../../money/requests/rollups/usage-sums.ts';
import type { Store } from '../../../platform/store/store.ts';

export interface PreviousTotals {
  readonly from: number;
  readonly to: number;
  readonly sums: RollupSums;
}

/**
 * Totals of the time of the same length directly before, or `undefined` if usage does not reach back to its first point:
 * a part of it would look like growth. Call it after pending deltas are added.
 */
export async function previousTotals(
  store: Store,
  { accountId, from, to }: SpanQuery,
  pointMs: number,
): Promise<PreviousTotals | undefined> {
  const before = { from: 2 * from - to, to: from };
  const first = await firstUsage(store);
  if (first === undefined || first >= before.from + pointMs) return undefined;
  return { ...before, sums: await rollupTotals(store, { accountId, ...before }) };
}
