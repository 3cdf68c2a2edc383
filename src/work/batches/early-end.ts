import type { Transaction } from 'kysely';
import type { Files } from '../files/files.ts';
import { recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import { readDatabaseTime } from '../../platform/store/engine.ts';
import type { BatchRow, LineProblem } from './batch-rows.ts';

/** Why none of its lines runs. */
export type EarlyEnd =
  | { readonly state: 'cancelled' | 'expired' }
  | { readonly state: 'failed'; readonly problems: readonly LineProblem[]; readonly processId: string };

/**
 * Ends a batch whose lines were not checked, also while a process checks them. That process then finds that it no longer
 * has the batch. Returns false if its lines run, or if it has ended.
 */
export async function endEarly(tx: Transaction<Database>, batch: BatchRow, end: EarlyEnd): Promise<boolean> {
  const now = await readDatabaseTime(tx);
  const { lines } = batch;
  const changes = {
    failed: { lines: 0 },
    cancelled: { cancelled: lines, cancelling_at: now },
    expired: { expired: lines },
  };
  let change = tx
    .updateTable('batches')
    .set({ state: end.state, ended_at: now, process_id: null, ...changes[end.state] })
    .where('id', '=', batch.id)
    .where('state', '=', 'validating');
  if (end.state === 'failed')
    change = change.set({ problems: JSON.stringify(end.problems) }).where('process_id', '=', end.processId);
  if ((await change.executeTakeFirst()).numUpdatedRows === 0n) return false;
  await tx.deleteFrom('batch_lines').where('batch_id', '=', batch.id).execute();
  const counts = { requests: lines, succeeded: 0, failed: 0, cancelled: 0, expired: 0, cost: '0' };
  const details: Readonly<Record<string, string | number>> =
    end.state === 'failed' ? { problems: end.problems.length } : { ...counts, [end.state]: lines };
  const data = { batch: `batch_${batch.id}`, endpoint: batch.endpoint, ...details };
  await recordEvent(tx, { kind: `batch.${end.state}`, accountId: batch.account_id, at: now, data });
  return true;
}

/** The requests of a message batch are a file that only the gateway sees. */
export async function removeInput(files: Files, batch: BatchRow): Promise<void> {
  const input = await files.find(batch.account_id, batch.input_file_id, 'internal');
  if (input) await files.remove(batch.account_id, input.id);
}
