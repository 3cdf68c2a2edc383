import { sql } from 'kysely';
import type { PromiseName } from '../core/guarantee.ts';
import type { Store } from '../store/store.ts';
import { dayOf, outcomes, type PromiseSums, sumsWith } from './promise-days.ts';

/** What became of the promises of each model since a moment, whole days of it. */
export async function promiseSums(
  store: Store,
  since: number,
): Promise<ReadonlyMap<string, ReadonlyMap<PromiseName, PromiseSums>>> {
  const rows = await store.db
    .selectFrom('model_promises')
    .select(['model', 'promise', ...outcomes.map((name) => sql<string>`cast(sum(${sql.ref(name)}) as text)`.as(name))])
    .where('day', '>=', dayOf(since))
    .groupBy(['model', 'promise'])
    .orderBy('model')
    .orderBy('promise')
    .execute();
  const models = new Map<string, Map<PromiseName, PromiseSums>>();
  for (const row of rows) {
    const promises = models.get(row.model) ?? new Map<PromiseName, PromiseSums>();
    promises.set(
      row.promise,
      sumsWith((outcome) => Number(row[outcome])),
    );
    models.set(row.model, promises);
  }
  return models;
}
