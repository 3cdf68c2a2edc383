import { type RawBuilder, sql } from 'kysely';
import { databaseNow, databaseNowPlus, engineOf } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { BatchRow, LineRow } from './batch-rows.ts';

interface LineClaimParts {
  readonly store: Store;
  readonly newId: () => string;
}

/** A line that this process runs, and the request of this attempt. */
export interface ClaimedLine extends LineRow {
  readonly request_id: string;
  /** The time at the database when it was claimed. */
  readonly now: number;
}

/** The lines of batches. A process owns a line from its claim to its outcome, unless another process takes it over. */
export class LineClaims {
  readonly #parts: LineClaimParts;

  constructor(parts: LineClaimParts) {
    this.#parts = parts;
  }

  /** Claims queued lines. No other process gets them. A process that was reaped by mistake gets none until it is renewed. */
  async claim({ id }: BatchRow, processId: string, most: number): Promise<readonly ClaimedLine[]> {
    const { store, newId } = this.#parts;
    return store.transaction(async (tx) => {
      const alive = tx.selectFrom('processes').select('id').where('id', '=', processId);
      const running = tx
        .selectFrom('batches')
        .select(databaseNow(tx).as('now'))
        .where('id', '=', id)
        .where('state', '=', 'in_progress')
        .where('expires_at', '>', databaseNow(tx))
        .where((row) => row.exists(alive));
      // Locked, so that a cancellation sees the lines that this claims as running.
      const batch = await (engineOf(tx) === 'postgres' ? running.forShare() : running).executeTakeFirst();
      if (!batch) return [];
      const queued = tx
        .selectFrom('batch_lines')
        .selectAll()
        .where('batch_id', '=', id)
        .where('state', '=', 'queued')
        .where('not_before', '<=', databaseNow(tx))
        .orderBy('line')
        .limit(most);
      const rows = await (engineOf(tx) === 'postgres' ? queued.forUpdate().skipLocked() : queued).execute();
      const claimed = rows.map((row) => ({ ...row, request_id: newId(), now: batch.now }));
      if (claimed.length === 0) return [];
      await tx
        .updateTable('batch_lines')
        .set({ state: 'running', process_id: processId, request_id: requestIdOf(claimed) })
        .where('batch_id', '=', id)
        .where(
          'line',
          'in',
          claimed.map(({ line }) => line),
        )
        .execute();
      return claimed;
    });
  }

  /** Ends an attempt that cost nothing: the line waits for another. If its batch is ending, it never runs. */
  async putBack({ batch_id: id, request_id: requestId, failures }: ClaimedLine, delayMs = 0): Promise<void> {
    const batch = await this.#db
      .selectFrom('batches')
      .select(['state', 'expires_at', databaseNow(this.#db).as('now')])
      .where('id', '=', id)
      .executeTakeFirst();
    const isLate = batch !== undefined && batch.expires_at <= batch.now;
    const state = batch?.state === 'cancelling' ? 'cancelled' : isLate ? 'expired' : 'queued';
    const own = this.#db.updateTable('batch_lines').where('request_id', '=', requestId).where('state', '=', 'running');
    const streamed = own.where('streamed_at', 'is not', null);
    if (state === 'queued') await streamed.set({ state: 'interrupted', process_id: null }).execute();
    const notBefore = databaseNowPlus(this.#db, delayMs);
    // Its process may take a new id at this moment. It keeps the lines of its requests, but not this one.
    const request = state === 'queued' ? { request_id: null } : {};
    const ended = { failures, not_before: notBefore, started_at: null, process_id: null };
    await own.set({ state, ...ended, ...request }).execute();
  }

  /** Notes that a provider works on these requests now. */
  async markStarted(requests: readonly string[]): Promise<void> {
    if (requests.length === 0) return;
    const own = this.#db.updateTable('batch_lines').where('request_id', 'in', requests).where('state', '=', 'running');
    await own.set({ started_at: databaseNow(this.#db) }).execute();
  }

  /** How many lines of each batch other processes run. */
  async runningElsewhere(processId: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('batch_lines')
      .select(({ fn }) => ['batch_id', fn.countAll<number | string>().as('lines')])
      .where('state', '=', 'running')
      .where('process_id', '!=', processId)
      .groupBy('batch_id')
      .execute();
    return new Map(rows.map(({ batch_id: id, lines }) => [id, Number(lines)]));
  }

  /** The running lines of a process, by request. */
  async runningOf(processId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('batch_lines')
      .select('request_id')
      .where('state', '=', 'running')
      .where('process_id', '=', processId)
      .execute();
    return rows.flatMap(({ request_id: id }) => id ?? []);
  }

  /** Whether another process has leased money of the account. It returned what it did not hold. */
  async isLeasedElsewhere(accountId: string, processId: string): Promise<boolean> {
    const leases = this.#db.selectFrom('leases').select('account_id').where('account_id', '=', accountId);
    const others = leases.where('process_id', '!=', processId).where('amount', '>', '0');
    return (await others.limit(1).execute()).length > 0;
  }

  get #db(): Store['db'] {
    return this.#parts.store.db;
  }
}

/** The new request of each line, so that one statement claims all of them. */
function requestIdOf(claimed: readonly ClaimedLine[]): RawBuilder<string> {
  const cases = claimed.map(({ line, request_id: requestId }) => sql`when ${line} then ${requestId}`);
  return sql<string>`case line ${sql.join(cases, sql` `)} end`;
}
