import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { Store } from '../store/store.ts';

/** Tool calls of a model. The arguments of every call seen were parsed, were repaired, or failed to parse. */
export interface CallSums {
  readonly seen: number;
  readonly parsed: number;
  readonly repaired: number;
  readonly failed: number;
}

/** The total tool calls of each model. */
export async function callSums(store: Store): Promise<ReadonlyMap<string, CallSums>> {
  const rows = await store.db.selectFrom('model_calls').selectAll().execute();
  return new Map(rows.map(({ model, ...sums }) => [model, sums]));
}

/** The tool calls of a request. */
interface CallCount {
  readonly model: string | undefined;
  readonly calls?: CallSums | undefined;
}

/** Adds tool calls to the existing sums of their models. */
export function addCalls(records: readonly CallCount[]): readonly JobStatement[] {
  return statementsFor(
    additionToModels,
    callsOf(records).map(({ model, seen, parsed, repaired, failed }) => [model, seen, parsed, repaired, failed]),
  );
}

const additionToModels = addition('model_calls', { model: 'text' }, ['seen', 'parsed', 'repaired', 'failed']);

/** Sums by model. The order is fixed, so that two processes cannot deadlock. */
function callsOf(records: readonly CallCount[]): readonly ModelCalls[] {
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

type ModelCalls = CallSums & { readonly model: string };
