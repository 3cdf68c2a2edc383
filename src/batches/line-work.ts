import { type RawBuilder, sql, type Transaction } from 'kysely';
import { chargedSoFar, settleCharges } from '../billing/ledger/settle.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import { databaseNow, engineOf } from '../store/engine.ts';
import { runWithin } from '../store/run-tasks.ts';
import type { Store } from '../store/store.ts';
import type { LineState } from '../store/tables/batches.ts';
import type { BatchRow, LineRow } from './batch-rows.ts';
import type { LinePlace } from './check-lines.ts';

interface LineWorkParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly settings: () => {
    /** Whether a line runs again whose process ended during its answer. The operator pays for the lost part. */
    readonly repeatInterrupted: boolean;
  };
}

/** A line that this process runs, and the request of this attempt. */
export interface ClaimedLine extends LineRow {
  readonly request_id: string;
}

/** A batch, and the time at the database when it was read. */
export interface UnfinishedBatch extends BatchRow {
  readonly now: number;
}

/** A check or an end that fails is tried again after this long, and then after twice as long each time. */
const backOffMs = 1000;
const backOffMaxMs = 5 * 60_000;
/** Rows of one statement: neither engine takes any number of parameters. */
const rowsAtOnce = 500;

/**
 * The work of processes on batches and their lines. A process owns a line from its claim to its outcome. If its
 * heartbeats stop and its peers reap it, they take its lines over: the table `processes` is the lease of all of them.
 */
export class LineWork {
  readonly #parts: LineWorkParts;

  constructor(parts: LineWorkParts) {
    this.#parts = parts;
  }

  /**
   * The batches of a kind that have not ended. Accounts take turns, and the oldest batch of each is first. Of responses,
   * only those that do not run now.
   */
  unfinished(kind: BatchRow['kind']): Promise<readonly UnfinishedBatch[]> {
    const all = this.#db.selectFrom('batches').selectAll().select(databaseNow(this.#db).as('now'));
    let query = all.where('ended_at', 'is', null).where('kind', '=', kind);
    if (kind === 'response') {
      query = query.where((row) =>
        row.or([
          row('state', '=', 'cancelling'),
          row('id', 'not in', row.selectFrom('batch_lines').select('batch_id').where('state', '=', 'running')),
        ]),
      );
    }
    return query
      .orderBy(({ fn }) => fn.agg<number>('row_number').over((over) => over.partitionBy('account_id').orderBy('id')))
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
  }

  async hasUnfinished(): Promise<boolean> {
    const first = this.#db.selectFrom('batches').select('id').where('ended_at', 'is', null).limit(1);
    return (await first.executeTakeFirst()) !== undefined;
  }

  /**
   * Takes the checks of a batch, or the writing of its files. Returns the number of this attempt, which also counts those
   * of killed processes; undefined if another process has the batch, or its back-off is not over.
   */
  async takeBatch(id: string, processId: string): Promise<number | undefined> {
    const taken = await this.#db
      .updateTable('batches')
      .set((row) => ({ process_id: processId, attempts: row('attempts', '+', 1) }))
      .where('id', '=', id)
      .where('process_id', 'is', null)
      .where('ended_at', 'is', null)
      .where('not_before', '<=', databaseNow(this.#db))
      .returning('attempts')
      .executeTakeFirst();
    return taken?.attempts;
  }

  /** Gives a batch back after so many attempts. Returns false if the process no longer has it. */
  async releaseBatch(id: string, processId: string, attempts: number): Promise<boolean> {
    const waitMs = attempts === 0 ? 0 : Math.min(backOffMs * 2 ** (attempts - 1), backOffMaxMs);
    const released = await this.#db
      .updateTable('batches')
      .set({ process_id: null, not_before: sql<number>`${databaseNow(this.#db)} + ${sql.lit(waitMs)}` })
      .where('id', '=', id)
      .where('process_id', '=', processId)
      .executeTakeFirst();
    return released.numUpdatedRows > 0n;
  }

  /**
   * Adds lines, or keeps those of a check that did not end. Returns false if the process no longer has the batch: it has
   * ended, so its lines are deleted, or another process checks it.
   */
  addLines(batch: BatchRow, processId: string, places: readonly LinePlace[]): Promise<boolean> {
    return this.#parts.store.transaction(async (tx) => {
      const own = tx.selectFrom('batches').select('id').where('id', '=', batch.id).where('process_id', '=', processId);
      // Locked, so that its end deletes the lines that this adds.
      const held = await (engineOf(tx) === 'postgres' ? own.forShare() : own).executeTakeFirst();
      if (held) await this.#insertLines(tx, batch, places);
      return held !== undefined;
    });
  }

  async #insertLines(tx: Transaction<Database>, { id }: BatchRow, places: readonly LinePlace[]): Promise<void> {
    for (let from = 0; from < places.length; from += rowsAtOnce) {
      const rows = places.slice(from, from + rowsAtOnce).map((place) => ({
        batch_id: id,
        line: place.line,
        custom_id: place.customId,
        chunk: place.chunk,
        first_byte: place.firstByte,
        bytes: place.bytes,
        state: 'queued' as const,
        failures: 0,
        not_before: 0,
      }));
      await tx
        .insertInto('batch_lines')
        .values(rows)
        .onConflict((row) => row.columns(['batch_id', 'line']).doNothing())
        .execute();
    }
  }

  /** The lines are complete: they may run, unless the batch has ended meanwhile. */
  async begin({ id }: BatchRow, processId: string, lines: number): Promise<void> {
    const begun = { state: 'in_progress', process_id: null, attempts: 0, not_before: 0 } as const;
    const own = this.#db.updateTable('batches').where('id', '=', id).where('process_id', '=', processId);
    await own.set({ ...begun, in_progress_at: this.#parts.clock.now(), lines }).execute();
  }

  /** Queued lines of a batch whose time is over never run. */
  async endQueued(id: string, state: LineState): Promise<void> {
    const queued = this.#db.updateTable('batch_lines').where('batch_id', '=', id).where('state', '=', 'queued');
    await queued.set({ state }).execute();
  }

  /** Claims queued lines. No other process gets them. A process that was reaped by mistake gets none until it is renewed. */
  async claim({ id }: BatchRow, processId: string, most: number): Promise<readonly ClaimedLine[]> {
    const { store, clock, newId } = this.#parts;
    return store.transaction(async (tx) => {
      const alive = tx.selectFrom('processes').select('id').where('id', '=', processId);
      const running = tx
        .selectFrom('batches')
        .select('id')
        .where('id', '=', id)
        .where('state', '=', 'in_progress')
        .where((row) => row.exists(alive));
      // Locked, so that a cancellation sees the lines that this claims as running.
      const batch = await (engineOf(tx) === 'postgres' ? running.forShare() : running).executeTakeFirst();
      if (!batch) return [];
      const queued = tx
        .selectFrom('batch_lines')
        .selectAll()
        .where('batch_id', '=', id)
        .where('state', '=', 'queued')
        .where('not_before', '<=', clock.now())
        .orderBy('line')
        .limit(most);
      const rows = await (engineOf(tx) === 'postgres' ? queued.forUpdate().skipLocked() : queued).execute();
      const claimed = rows.map((row) => ({ ...row, request_id: newId() }));
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

  /** Ends an attempt that cost nothing: the line waits for another, or never runs. */
  async putBack(
    { request_id: requestId, failures }: ClaimedLine,
    state: 'queued' | 'cancelled' | 'expired',
    delayMs = 0,
  ): Promise<void> {
    const notBefore = this.#parts.clock.now() + delayMs;
    const own = this.#db.updateTable('batch_lines').where('request_id', '=', requestId).where('state', '=', 'running');
    const streamed = own.where('streamed_at', 'is not', null);
    if (state === 'queued') await streamed.set({ state: 'interrupted', process_id: null }).execute();
    await own.set({ state, failures, not_before: notBefore, started_at: null, process_id: null }).execute();
  }

  /** Notes that a provider works on these requests now. */
  async markStarted(requests: readonly string[]): Promise<void> {
    if (requests.length === 0) return;
    const own = this.#db.updateTable('batch_lines').where('request_id', 'in', requests).where('state', '=', 'running');
    await own.set({ started_at: this.#parts.clock.now() }).execute();
  }

  /**
   * The process has a new id: its batches keep it, and so do its lines, unless another process has claimed them
   * meanwhile. Returns the requests that it still runs.
   */
  async renew(before: string, processId: string, requests: readonly string[]): Promise<ReadonlySet<string>> {
    await this.#db.updateTable('batches').set({ process_id: processId }).where('process_id', '=', before).execute();
    if (requests.length === 0) return new Set();
    const kept = await this.#db
      .updateTable('batch_lines')
      .set({ process_id: processId, state: 'running' })
      .where('request_id', 'in', requests)
      .where('state', 'in', ['running', 'queued'])
      .returning('request_id')
      .execute();
    return new Set(kept.map(({ request_id: id }) => id ?? ''));
  }

  /** Takes over the work of processes that were reaped: their checkpoints are charged, and their journals replayed. */
  async takeOver(): Promise<number> {
    const alive = this.#db.selectFrom('processes').select('id');
    const taken = this.#db.updateTable('batches').set({ process_id: null }).where('ended_at', 'is', null);
    await taken.where('process_id', 'not in', alive).execute();
    const orphans = await this.#db
      .selectFrom('batch_lines')
      .select('request_id')
      .where('state', '=', 'running')
      .where('process_id', 'not in', alive)
      .limit(rowsAtOnce)
      .execute();
    return this.resolve(orphans.flatMap(({ request_id: id }) => id ?? []));
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

  /**
   * Ends attempts that will have no outcome. Their lines are queued again, and the account gets back what recovery
   * charged for the lost part. Without `repeatInterrupted`, a line that was charged ends as interrupted instead, so that
   * it is not charged again. So does a response of which a client has streamed a part.
   */
  async resolve(requests: readonly string[]): Promise<number> {
    if (requests.length === 0) return 0;
    const { repeatInterrupted } = this.#parts.settings();
    return this.#parts.store.transaction(async (tx) => {
      if (repeatInterrupted) await refundUnread(tx, requests);
      const charged = await runWithin(tx, chargedSoFar, requests);
      for (const requestId of requests) {
        const cost = charged.get(requestId) ?? 0n;
        const own = tx.updateTable('batch_lines').where('request_id', '=', requestId).where('state', '=', 'running');
        const ended = cost > 0n ? own : own.where('streamed_at', 'is not', null);
        // A late charge of the ended process is rejected.
        await ended.set({ state: 'interrupted', cost, process_id: null }).execute();
        // After a refund its charge would be final, so a late answer is not the outcome.
        const isRefunded = charged.has(requestId);
        const queued = { state: 'queued', process_id: null, started_at: null } as const;
        await own.set({ ...queued, ...(isRefunded && { request_id: null }) }).execute();
      }
      return requests.length;
    });
  }

  /** Whether another process has leased money of the account. It returned what it did not hold. */
  async isLeasedElsewhere(accountId: string, processId: string): Promise<boolean> {
    const leases = this.#db.selectFrom('leases').select('account_id').where('account_id', '=', accountId);
    const others = leases.where('process_id', '!=', processId).where('amount', '>', '0');
    return (await others.limit(1).execute()).length > 0;
  }

  /** Lines of all batches that no process has claimed. */
  async queuedLines(): Promise<number> {
    const { lines } = await this.#db
      .selectFrom('batch_lines')
      .select(({ fn }) => fn.countAll().as('lines'))
      .where('state', '=', 'queued')
      .executeTakeFirstOrThrow();
    return Number(lines);
  }

  async stateOf(id: string): Promise<BatchRow['state'] | undefined> {
    const row = await this.#db.selectFrom('batches').select('state').where('id', '=', id).executeTakeFirst();
    return row?.state;
  }

  /** Whether the batch has lines that wait or run. */
  async hasOpenLines(id: string, state?: 'queued' | 'running'): Promise<boolean> {
    const row = await this.#db
      .selectFrom('batch_lines')
      .select('line')
      .where('batch_id', '=', id)
      .where('state', 'in', state ? [state] : ['queued', 'running'])
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  get #db(): Store['db'] {
    return this.#parts.store.db;
  }
}

/** Refunds what recovery charged for running lines that no client has read. A charge of their process itself is final. */
async function refundUnread(tx: Transaction<Database>, requests: readonly string[]): Promise<void> {
  const charges = await tx
    .selectFrom('transfers')
    .innerJoin('batch_lines', 'batch_lines.request_id', 'transfers.reference')
    .select(['reference', 'account_id', 'key_id', 'price_version', 'at', 'held'])
    .where('reference', 'in', requests)
    .where('kind', '=', 'charge')
    .where('by', '=', 'recovery')
    .where('batch_lines.state', '=', 'running')
    .where('streamed_at', 'is', null)
    .execute();
  const refunds = charges.map((charge) => ({
    requestId: charge.reference,
    accountId: charge.account_id,
    keyId: charge.key_id ?? '',
    processId: '',
    priceVersion: charge.price_version ?? '',
    at: charge.at,
    held: BigInt(charge.held ?? 0),
    cost: 0n,
    by: 'gateway' as const,
    reason: 'its process ended during the answer; it runs again, and the operator pays for the lost part',
  }));
  if (refunds.length > 0) await runWithin(tx, settleCharges, refunds);
}

/** The new request of each line, so that one statement claims all of them. */
function requestIdOf(claimed: readonly ClaimedLine[]): RawBuilder<string> {
  const cases = claimed.map(({ line, request_id: requestId }) => sql`when ${line} then ${requestId}`);
  return sql<string>`case line ${sql.join(cases, sql` `)} end`;
}
