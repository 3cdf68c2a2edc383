import { sql } from 'kysely';
import type { ConstraintName } from '../core/guarantee.ts';
import type { Store } from '../store/store.ts';
import { dayOf, outcomeColumns, type ConstraintSums, sumsWith } from './constraint-days.ts';

/** Constraint results of each model since a time, in whole days. */
export async function constraintSums(
  store: Store,
  since: number,
): Promise<ReadonlyMap<string, ReadonlyMap<ConstraintName, ConstraintSums>>> {
  const rows = await store.db
    .selectFrom('model_promises')
    .select([
      'model',
      'promise',
      ...Object.values(outcomeColumns).map((name) => sql<string>`cast(sum(${sql.ref(name)}) as text)`.as(name)),
    ])
    .where('day', '>=', dayOf(since))
    .groupBy(['model', 'promise'])
    .orderBy('model')
    .orderBy('promise')
    .execute();
  const models = new Map<string, Map<ConstraintName, ConstraintSums>>();
  for (const row of rows) {
    const constraints = models.get(row.model) ?? new Map<ConstraintName, ConstraintSums>();
    constraints.set(
      row.promise,
      sumsWith((outcome) => Number(row[outcomeColumns[outcome]])),
    );
    models.set(row.model, constraints);
  }
  return models;
}
