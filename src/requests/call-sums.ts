import { sql } from 'kysely';
import { bulkStatement } from '../store/bulk-statement.ts';
import type { Store } from '../store/store.ts';

/** How well a model calls tools: every call seen had arguments that could be parsed, could after a repair, or could not. */
export interface CallSums {
  readonly seen: number;
  readonly parsed: number;
  readonly repaired: number;
  readonly failed: number;
}

/** The calls of each model, as they were ever counted. */
export async function callSums(store: Store): Promise<ReadonlyMap<string, CallSums>> {
  const rows = await store.db.selectFrom('model_calls').selectAll().execute();
  return new Map(rows.map(({ model, ...sums }) => [model, sums]));
}

/** What a request says of its calls. */
interface Counted {
  readonly model: string | undefined;
  readonly calls?: CallSums | undefined;
}

/** The calls of some requests by model. In a fixed order, so that two processes never lock each other out. */
export function callsOf(records: readonly Counted[]): readonly ModelCalls[] {
  const sums = new Map<string, ModelCalls>();
  for (const { model, calls } of records) {
    if (model === undefined || !calls || calls.seen === 0) continue;
    const before = sums.get(model) ?? { model, seen: 0, parsed: 0, repaired: 0, failed: 0 };
    sums.set(model, {
      model,
      seen: before.seen + calls.seen,
      parsed: before.parsed + calls.parsed,
      repaired: before.repaired + calls.repaired,
      failed: before.failed + calls.failed,
    });
  }
  return [...sums.values()].sort((left, right) => (left.model < right.model ? -1 : 1));
}

/** Adds calls to what their models have already. */
export function callAdder() {
  return bulkStatement((db, calls: readonly ModelCalls[]) =>
    db
      .insertInto('model_calls')
      .values([...calls])
      .onConflict((conflict) => conflict.column('model').doUpdateSet(addition)),
  );
}

type ModelCalls = CallSums & { readonly model: string };

const addition = Object.fromEntries(
  ['seen', 'parsed', 'repaired', 'failed'].map((name) => [
    name,
    sql<never>`${sql.ref(`model_calls.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  ]),
);
