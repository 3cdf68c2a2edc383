import type { Transaction } from 'kysely';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { fileChunks } from '../files/file-chunks.ts';
import type { Files } from '../files/files.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow, databaseNowPlus } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { type DeletionError, type DeletionRounds, periodicDeletion } from '../../platform/store/periodic-deletion.ts';
import { type BatchRow, type BatchSums, sumsOf } from './batch-rows.ts';
import { endEarly, removeInput } from './early-end.ts';
import { lineBodies } from './line-bodies.ts';

export interface BatchParts {
  readonly store: Store;
  readonly newId: () => string;
  readonly files: Files;
  /** How long an ended batch is kept, and its output files if the client does not say. */
  readonly keepMs: () => number;
  readonly quota: () => BatchQuota;
}

/** Limits of the unfinished batches of one account. */
export interface BatchQuota {
  readonly accountBatchesMax: number;
  readonly accountLinesMax: number;
}

export interface NewBatch {
  readonly kind: BatchRow['kind'];
  /** The format of the client that created it. */
  readonly format?: BatchRow['format'];
  readonly accountId: string;
  readonly keyId: string;
  readonly host: string;
  readonly address: string;
  /** Headers of the client that its lines need. */
  readonly headers: Readonly<Record<string, string>>;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly outputSeconds: number | undefined;
  /** The number of lines, if it is known before they are checked. */
  readonly lines?: number;
}

export interface BatchPage {
  /** Only batches of this endpoint. */
  readonly endpoint?: string | undefined;
  /** Only batches of this key. */
  readonly keyId?: string | undefined;
  readonly states?: readonly BatchRow['state'][] | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A batch with the sums of its lines. */
export interface BatchState {
  readonly batch: BatchRow;
  readonly sums: BatchSums;
}

/** The time in which a batch has to run. */
export const windowMs = 24 * 3_600_000;
/** The output files of an account may have this much for each line of its quota. Each line is answered once. */
const outputBytesPerLine = 16 * 1024;
/** Of its ended batches that cost nothing and have no answer, an account keeps this many. The next creation deletes older ones. */
const fruitlessBatchesMax = 1000;
const deletedAtOnce = 50;
/** A body of an outcome that no file has after this long belongs to a request that lost its line. */
const bodiesMs = 3 * windowMs;

/** The sums of a new batch in its row. */
export const noSums = {
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  expired: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost: 0n,
};

/** The batches of accounts. Each account sees its own only. */
export class Batches {
  readonly #parts: BatchParts;
  /** Called when there is work that this process could begin at once. */
  onWork: () => void = () => {};

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** The same batches inside a transaction. */
  within(store: Store): Batches {
    return new Batches({ ...this.#parts, store });
  }

  /** Rejects if the account has as many batches, lines or output files as it may have. */
  async create(batch: NewBatch): Promise<BatchState> {
    const { store, newId } = this.#parts;
    const now = databaseNow(store.db);
    const values = {
      id: newId(),
      kind: batch.kind,
      format: batch.format ?? 'openai',
      account_id: batch.accountId,
      key_id: batch.keyId,
      host: batch.host,
      address: batch.address,
      headers: JSON.stringify(batch.headers),
      endpoint: batch.endpoint,
      input_file_id: batch.inputFileId,
      metadata: batch.metadata === undefined ? null : JSON.stringify(batch.metadata),
      state: 'validating' as const,
      created_at: now,
      expires_at: databaseNowPlus(store.db, windowMs),
      output_seconds: batch.outputSeconds ?? null,
      lines: batch.lines ?? 0,
      ...noSums,
    };
    const row = await store.transaction(
      async (tx) => {
        await this.#requireRoom(tx, batch);
        await deleteFruitless(tx, batch.accountId);
        return tx.insertInto('batches').values(values).returningAll().executeTakeFirstOrThrow();
      },
      { lock: `batches of ${batch.accountId}` },
    );
    this.onWork();
    return this.#withSums(row);
  }

  async find(
    accountId: string | undefined,
    id: string,
    kind: BatchRow['kind'] = 'batch',
  ): Promise<BatchState | undefined> {
    let query = this.#all.where('id', '=', id).where('kind', '=', kind);
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    const row = await query.executeTakeFirst();
    return row && this.#withSums(row);
  }

  /** Newest first; one more than the limit, if there is one. Before `before`, the ones next to it. */
  async list(
    accountId: string | undefined,
    { endpoint, keyId, states, after, before, limit }: BatchPage,
  ): Promise<readonly BatchState[]> {
    let query = this.#all.where('kind', '=', 'batch');
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    if (endpoint !== undefined) query = query.where('endpoint', '=', endpoint);
    if (keyId !== undefined) query = query.where('key_id', '=', keyId);
    if (states !== undefined) query = query.where('state', 'in', states);
    if (after !== undefined) query = query.where('id', '<', after);
    if (before !== undefined) query = query.where('id', '>', before);
    const rows = await query
      .orderBy('id', before === undefined ? 'desc' : 'asc')
      .limit(limit + 1)
      .execute();
    return Promise.all(rows.map((row) => this.#withSums(row)));
  }

  /**
   * Lines that have not started never start, and each process aborts those that it runs. A batch whose lines are not checked yet ends at once. Resolves with the
   * batch, changed or not.
   */
  async cancel(
    accountId: string | undefined,
    id: string,
    kind: BatchRow['kind'] = 'batch',
  ): Promise<BatchState | undefined> {
    const { store, files } = this.#parts;
    const batch = (await this.find(accountId, id, kind))?.batch;
    if (!batch) return undefined;
    const isOver = await store.transaction(async (tx) => {
      if (await endEarly(tx, batch, { state: 'cancelled' })) return true;
      const change = tx.updateTable('batches').set({ state: 'cancelling', cancelling_at: databaseNow(tx) });
      const running = change.where('id', '=', id).where('state', '=', 'in_progress');
      if ((await running.executeTakeFirst()).numUpdatedRows === 0n) return false;
      const queued = tx.updateTable('batch_lines').where('batch_id', '=', id).where('state', '=', 'queued');
      await queued.set({ state: 'cancelled' }).execute();
      return false;
    });
    if (isOver) await removeInput(files.within(store), batch);
    this.onWork();
    return this.find(accountId, id, kind);
  }

  /** Whether the file is the input of a batch that has not ended. */
  async isInUse(fileId: string): Promise<boolean> {
    const reading = this.#all.where('input_file_id', '=', fileId).where('ended_at', 'is', null);
    return (await reading.limit(1).execute()).length > 0;
  }

  /** Deletes an ended batch and its files. Returns false if there is none. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const { store, files } = this.#parts;
    const row = await store.db
      .deleteFrom('batches')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('ended_at', 'is not', null)
      .returning(['output_file_id', 'error_file_id'])
      .executeTakeFirst();
    for (const fileId of [row?.output_file_id, row?.error_file_id]) if (fileId) await files.remove(accountId, fileId);
    return row !== undefined;
  }

  /**
   * Deletes old batches by the clock of the database. Their files go at their own time. Nothing of an unfinished batch is
   * deleted, however old it is: all processes may have been off for days.
   */
  retention(onError: DeletionError): DeletionRounds {
    const { store, keepMs } = this.#parts;
    return periodicDeletion({ store, what: 'batches', onError }, [
      async () => {
        const old = store.db
          .selectFrom('batches')
          .select('id')
          .where('ended_at', '<', databaseNowPlus(store.db, -keepMs()));
        const rows = await old.limit(deletedAtOnce).execute();
        const ids = rows.map(({ id }) => id);
        if (ids.length > 0) await store.db.deleteFrom('batches').where('id', 'in', ids).execute();
        return ids.length === deletedAtOnce;
      },
      async () => {
        const old = store.db
          .selectFrom('sealed_blobs')
          .select('id')
          .where('kind', '=', 'batch_lines')
          .where('created_at', '<', databaseNowPlus(store.db, -bodiesMs))
          .where((row) => {
            const lines = row.selectFrom('batch_lines').select('line');
            return row.not(row.exists(lines.whereRef('request_id', '=', 'sealed_blobs.id')));
          });
        const ids = (await old.limit(deletedAtOnce).execute()).map(({ id }) => id);
        if (ids.length > 0) await store.transaction((tx) => lineBodies.delete(tx, ids));
        return ids.length === deletedAtOnce;
      },
    ]);
  }

  async #requireRoom(tx: Transaction<Database>, { accountId, lines = 0 }: NewBatch): Promise<void> {
    const { accountBatchesMax, accountLinesMax } = this.#parts.quota();
    const open = await tx
      .selectFrom('batches')
      .select(({ fn }) => [
        fn.countAll<number | string>().as('batches'),
        fn.sum<number | string | null>('lines').as('lines'),
      ])
      .where('account_id', '=', accountId)
      .where('kind', '=', 'batch')
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (lines > accountLinesMax) {
      const detail = `The batch has ${lines} requests. An account may have ${accountLinesMax} in its unfinished batches. Send smaller batches.`;
      throw new GatewayError('invalid-request', { detail });
    }
    if (Number(open.batches) >= accountBatchesMax) {
      const detail = `${accountBatchesMax} batches of this account are unfinished. Wait until one of them ends, or cancel one.`;
      throw new GatewayError('overloaded', { detail });
    }
    if (Number(open.lines ?? 0) + lines > accountLinesMax) {
      const detail = `The unfinished batches of this account would have more than ${accountLinesMax} requests. Wait until one of them ends, or cancel one.`;
      throw new GatewayError('overloaded', { detail });
    }
    const outputBytesMax = accountLinesMax * outputBytesPerLine;
    if ((await fileChunks.gateway.total({ db: tx }, accountId)).bytes > outputBytesMax) {
      const detail = `The output files of this account have more than ${outputBytesMax} bytes. Delete files that you no longer need.`;
      throw new GatewayError('invalid-request', { detail });
    }
  }

  get #all() {
    return this.#parts.store.db.selectFrom('batches').selectAll();
  }

  async #withSums(batch: BatchRow): Promise<BatchState> {
    return { batch, sums: await sumsOf(this.#parts.store.db, batch) };
  }
}

/** Without money for a line, or with files that are no JSON, an account could add such batches without an end. */
async function deleteFruitless(tx: Transaction<Database>, accountId: string): Promise<void> {
  const ended = tx.selectFrom('batches').select('id').where('account_id', '=', accountId).where('kind', '=', 'batch');
  const fruitless = ended.where('ended_at', 'is not', null).where('succeeded', '=', 0).where('cost', '=', '0');
  const old = await fruitless.orderBy('id', 'desc').offset(fruitlessBatchesMax).limit(deletedAtOnce).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('batches').where('id', 'in', ids).execute();
}
