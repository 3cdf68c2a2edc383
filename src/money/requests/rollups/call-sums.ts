import type { Store } from '../../../platform/store/store.ts';

/** Tool calls of a model. The arguments of every call seen were parsed, were repaired, or failed to parse. */
export interface CallSums {
  readonly seen: number;
  readonly parsed: number;
  readonly repaired: number;
  readonly failed: number;
}

export async function callSums(store: Store): Promise<ReadonlyMap<string, CallSums>> {
  const rows = await store.db.selectFrom('model_calls').selectAll().execute();
  return new Map(rows.map(({ model, ...sums }) => [model, sums]));
}
