import {
  type DeletionRounds,
  keptSince,
  periodicDeletion,
  type RetentionParts,
} from '../../platform/store/periodic-deletion.ts';
import type { Store } from '../../platform/store/store.ts';

const rowsPerTurn = 500;

/** Deletes events and deliveries that are older than `keepMs`. */
export function outboxRetention({ store, keepMs, onError }: RetentionParts): DeletionRounds {
  return periodicDeletion({ store, what: 'events', onError }, [
    async () => deleteDeliveries(store, await keptSince(store, keepMs)),
    async () => deleteEvents(store, await keptSince(store, keepMs)),
  ]);
}

/** Deletes waiting deliveries too, of endpoints that are off. Others are delivered or given up long before. */
async function deleteDeliveries({ db }: Store, before: number): Promise<boolean> {
  const old = db.selectFrom('deliveries').select('id').where('created_at', '<', before);
  const gone = await db
    .deleteFrom('deliveries')
    .where('id', 'in', old.orderBy('created_at').limit(rowsPerTurn))
    .executeTakeFirst();
  return Number(gone.numDeletedRows) === rowsPerTurn;
}

async function deleteEvents({ db }: Store, before: number): Promise<boolean> {
  const old = db
    .selectFrom('events')
    .select('id')
    .where('at', '<', before)
    .where('fanned_out_at', 'is not', null)
    .where((row) =>
      row.not(
        row.exists(
          row.selectFrom('deliveries').select('deliveries.id').whereRef('deliveries.event_id', '=', 'events.id'),
        ),
      ),
    );
  const gone = await db.deleteFrom('events').where('id', 'in', old.orderBy('at').limit(rowsPerTurn)).executeTakeFirst();
  return Number(gone.numDeletedRows) === rowsPerTurn;
}
