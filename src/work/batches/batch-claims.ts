import type { SelectQueryBuilder, Transaction } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow, databaseNowPlus, engineOf } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { LineState } from '../../platform/store/tables/batches.ts';
import type { BatchRow } from './batch-rows.ts';
import type { LinePlace } from './check-lines.ts';

/** A batch, and the time at the database when it was read. */
export interface UnfinishedBatch extends BatchRow {
  readonly now: number;
}

/** A check or an end that fails is tried again after this long, and then after twice as long each time. */
const backOffMs = 1000;
const backOffMaxMs = 5 * 60_000;
/** Batches of one page. A look has two. */
const batchesAtOnce = 250;
/** Rows of one statement: neither engine takes any number of parameters. */
const rowsAtOnce = 500;

/** Unfinished batches. One process at a time checks the lines of a batch, or writes its files. */
export class BatchClaims {
  readonly #store: Store;
  /** The last batch of the previous look, by kind of look. */
  readonly #lastOf = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * The batches of a kind that have not ended: the oldest of each account, then others, oldest first. If there are too
   * many for one look, the next look continues after them, so each gets its turn. Of responses, only those that do not
   * run now.
   */
  async unfinished(kind: BatchRow['kind']): Promise<readonly UnfinishedBatch[]> {
    const open = this.#unfinished(kind);
    const all = open.selectAll().select(databaseNow(this.#db).as('now'));
    const oldest = open.groupBy('account_id').select(({ fn }) => fn.min('id').as('id'));
    const first = await this.#page(`oldest ${kind}`, all.where('id', 'in', oldest));
    const ids = new Set(first.map(({ id }) => id));
    const others = await this.#page(kind, all);
    return [...first, ...others.filter(({ id }) => !ids.has(id))];
  }

  #unfinished(kind: BatchRow['kind']) {
    const open = this.#db.selectFrom('batches').where('ended_at', 'is', null).where('kind', '=', kind);
    if (kind === 'batch') return open;
    return open.where((row) =>
      row.or([
        row('state', '=', 'cancelling'),
        row('id', 'not in', row.selectFrom('batch_lines').select('batch_id').where('state', '=', 'running')),
      ]),
    );
  }

  async #page(
    name: string,
    query: SelectQueryBuilder<Database, 'batches', UnfinishedBatch>,
  ): Promise<readonly UnfinishedBatch[]> {
    const after = this.#lastOf.get(name) ?? '';
    const rows = await query
      .orderBy((row) => row.case().when('id', '>', after).then(0).else(1).end())
      .orderBy('id')
      .limit(batchesAtOnce)
      .execute();
    this.#lastOf.set(name, rows.length < batchesAtOnce ? '' : (rows.at(-1)?.id ?? ''));
    return rows;
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
      .set({ process_id: null, not_before: databaseNowPlus(this.#db, waitMs) })
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
    return this.#store.transaction(async (tx) => {
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
    await own.set({ ...begun, in_progress_at: databaseNow(this.#db), lines }).execute();
  }

  /** Queued lines of a batch whose time is over never run. */
  async endQueued(id: string, state: LineState): Promise<void> {
    const queued = this.#db.updateTable('batch_lines').where('batch_id', '=', id).where('state', '=', 'queued');
    await queued.set({ state }).execute();
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
    return this.#store.db;
  }
}
