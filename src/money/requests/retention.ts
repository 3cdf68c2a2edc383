import { sql } from 'kysely';
import { dayMs, hourMs } from '../../core/time/calendar-day.ts';
import {
  type DeletionRounds,
  keptSince,
  periodicDeletion,
  type RetentionParts,
} from '../../platform/store/periodic-deletion.ts';
import type { Store } from '../../platform/store/store.ts';

interface RequestRetentionParts extends RetentionParts {
  /** How long the hourly sums are kept; they outlive the requests. */
  readonly keepUsageMs: () => number;
}

const rowsPerTurn = 500;

/** Deletes requests and usage after their configured retention. */
export function requestRetention(parts: RequestRetentionParts): DeletionRounds {
  const { store, keepMs, keepUsageMs, onError } = parts;
  return periodicDeletion({ store, what: 'requests', onError }, [
    async () => deleteRequests(store, await keptSince(store, keepMs)),
    async () => deleteHour(store, await keptSince(store, keepUsageMs)),
  ]);
}

async function deleteRequests(store: Store, before: number): Promise<boolean> {
  const result = await store.db
    .deleteFrom('requests')
    .where('id', 'in', (requests) =>
      requests
        .selectFrom('requests')
        .select('id')
        .where('started_at', '<', before)
        .orderBy('started_at')
        .limit(rowsPerTurn),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows) === rowsPerTurn;
}

/** Deletes the oldest hour if all of it is too old, and returns whether there was one. */
async function deleteHour(store: Store, before: number): Promise<boolean> {
  const oldest = await store.db.selectFrom('usage_rollups').select('hour').orderBy('hour').limit(1).executeTakeFirst();
  if (oldest === undefined || oldest.hour + hourMs > before) return false;
  const until = { hour: oldest.hour, day: oldest.hour - dayMs, start: oldest.hour - dayMs };
  for (const [table, column] of expiringSums)
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} <= ${until[column]}`.execute(store.db);
  return true;
}

/** The tables of sums, and the column with the time that each row begins. */
const expiringSums = [
  ['usage_rollups', 'hour'],
  ['usage_rollup_days', 'day'],
  ['error_hours', 'hour'],
  ['constraint_results', 'day'],
  ['performance_sums', 'start'],
  ['cache_savings', 'hour'],
] as const;
