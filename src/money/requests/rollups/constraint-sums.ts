import { dayOf } from '../../../core/time/calendar-day.ts';
import type { ConstraintName, ConstraintOutcome } from 'chat-formats/chat/guarantee.ts';
import { readNumbers, sumColumns } from '../../../platform/store/counter-sums.ts';
import type { Store } from '../../../platform/store/store.ts';
import { outcomes } from '../request-counters.ts';

/** How often a constraint ended with each outcome. Every checked answer counts for exactly one. */
export type ConstraintSums = Readonly<Record<ConstraintOutcome, number>>;

/** Constraint results of each model since a time, in whole days. */
export async function constraintSums(
  store: Store,
  since: number,
): Promise<ReadonlyMap<string, ReadonlyMap<ConstraintName, ConstraintSums>>> {
  const rows = await store.db
    .selectFrom('constraint_results')
    .select(['model', 'constraint_name', ...sumColumns(outcomes)])
    .where('day', '>=', dayOf(since))
    .groupBy(['model', 'constraint_name'])
    .orderBy('model')
    .orderBy('constraint_name')
    .execute();
  const models = new Map<string, Map<ConstraintName, ConstraintSums>>();
  for (const row of rows) {
    const constraints = models.get(row.model) ?? new Map<ConstraintName, ConstraintSums>();
    constraints.set(row.constraint_name, readNumbers(outcomes, row));
    models.set(row.model, constraints);
  }
  return models;
}
