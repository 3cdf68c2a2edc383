import { sql } from 'kysely';
import type { ConstraintName } from '../core/guarantee.ts';
import type { Store } from '../store/store.ts';
import { dayOf, outcomes, type ConstraintSums, sumsWith } from './constraint-days.ts';

/** Constraint results of each model since a time, in whole days. */
export async function constraintSums(
  store: Store,
  since: number,
): Promise<ReadonlyMap<string, ReadonlyMap<ConstraintName, ConstraintSums>>> {
  const rows = await store.db
    .selectFrom('constraint_results')
    .select([
      'model',
      'constraint_name',
      ...outcomes.map((name) => sql<string>`cast(sum(${sql.ref(name)}) as text)`.as(name)),
    ])
    .where('day', '>=', dayOf(since))
    .groupBy(['model', 'constraint_name'])
    .orderBy('model')
    .orderBy('constraint_name')
    .execute();
  const models = new Map<string, Map<ConstraintName, ConstraintSums>>();
  for (const row of rows) {
    const constraints = models.get(row.model) ?? new Map<ConstraintName, ConstraintSums>();
    constraints.set(
      row.constraint_name,
      sumsWith((outcome) => Number(row[outcome])),
    );
    models.set(row.model, constraints);
  }
  return models;
}
