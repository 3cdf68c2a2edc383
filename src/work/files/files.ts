import { sql } from 'kysely';
import { type DeletionError, type DeletionRounds, periodicDeletion } from '../../platform/store/periodic-deletion.ts';
import { databaseNow, databaseNowPlus } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { FileState } from '../../platform/store/tables/batches.ts';
import { chunkId, chunksAtOnce, decodeChunk, fileChunks } from './file-chunks.ts';
import { deleteFile, type FileParts, type FileRow, FileWriter, type NewFile, uploadMs } from './file-writer.ts';

export interface FilePage {
  readonly purpose: string | undefined;
  readonly after: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

/** A file whose chunks can be read. */
export type StoredFile = Pick<FileRow, 'account_id' | 'id' | 'origin'>;

/** The files of accounts. Each account sees its own only. */
export class Files {
  readonly #parts: FileParts;

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** The same files inside a transaction. */
  within(store: Store): Files {
    return new Files({ ...this.#parts, store });
  }

  create(file: NewFile): Promise<FileWriter> {
    return FileWriter.begin(this.#parts, file);
  }

  async find(accountId: string, id: string, state: FileState = 'ready'): Promise<FileRow | undefined> {
    const row = await this.#kept.where('id', '=', id).where('state', '=', state).executeTakeFirst();
    return row?.account_id === accountId ? row : undefined;
  }

  /** The input of an unfinished batch. It may have expired meanwhile: it is kept until the batch has ended. */
  async inputOf(batch: { readonly account_id: string; readonly input_file_id: string }): Promise<FileRow | undefined> {
    const row = await this.#all
      .where('id', '=', batch.input_file_id)
      .where('state', 'in', ['ready', 'internal'])
      .executeTakeFirst();
    return row?.account_id === batch.account_id ? row : undefined;
  }

  /** One row more than the limit, if there is one. */
  async list(accountId: string, { purpose, after, order, limit }: FilePage): Promise<readonly FileRow[]> {
    let query = this.#kept.where('account_id', '=', accountId).where('state', '=', 'ready');
    if (purpose !== undefined) query = query.where('purpose', '=', purpose);
    if (after !== undefined) query = query.where('id', order === 'desc' ? '<' : '>', after);
    return query
      .orderBy('id', order)
      .limit(limit + 1)
      .execute();
  }

  async *content(file: FileRow): AsyncGenerator<Buffer> {
    for (let chunk = 0; chunk < file.chunks; chunk += 1) yield await this.chunk(file, chunk);
  }

  async chunk({ account_id: accountId, id, origin }: StoredFile, chunk: number): Promise<Buffer> {
    const { store, vault } = this.#parts;
    const [row] = await fileChunks[origin].find(store, { ids: [chunkId(id, chunk)], accountId });
    if (!row) throw new Error(`chunk ${chunk} of ${id} is missing`);
    const opened = fileChunks[origin].open(vault, row);
    if (!opened.ok) throw new Error(`a chunk of ${id} cannot be decrypted: it is ${opened.reason}`);
    return decodeChunk(opened.secret);
  }

  /** Resolves with true if it existed. It is invisible at once. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await this.#parts.store.db
      .updateTable('files')
      .set({ state: 'deleted' })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('state', 'in', ['ready', 'internal'])
      .executeTakeFirst();
    if (removed.numUpdatedRows === 0n) return false;
    await deleteFile(this.#parts.store, id);
    return true;
  }

  /** Deletes expired files, abandoned uploads, files whose deletion was interrupted, and internal ones without a batch. */
  retention(onError: DeletionError): DeletionRounds {
    const { store } = this.#parts;
    return periodicDeletion({ store, what: 'files', onError }, [() => this.#deleteSome()]);
  }

  async #deleteSome(): Promise<boolean> {
    const { db } = this.#parts.store;
    const rows = await this.#all
      .select('id')
      .where((row) =>
        row.or([
          row('state', '=', 'deleted'),
          row.and([row('expires_at', '<=', databaseNow(db)), row.not(row.exists(this.#openBatches))]),
          row.and([
            row('state', '=', 'internal'),
            row('created_at', '<', databaseNowPlus(db, -uploadMs)),
            row.not(row.exists(this.#openBatches)),
          ]),
        ]),
      )
      .limit(chunksAtOnce)
      .execute();
    for (const { id } of rows) await deleteFile(this.#parts.store, id);
    return rows.length === chunksAtOnce;
  }

  /** Batches that have not ended and read the file. */
  get #openBatches() {
    const open = this.#parts.store.db.selectFrom('batches').select('batches.id').where('ended_at', 'is', null);
    return open.where('input_file_id', '=', sql.ref<string>('files.id'));
  }

  get #all() {
    return this.#parts.store.db.selectFrom('files').selectAll();
  }

  /** Files that have not expired by the clock of the database. Clocks of processes may differ. */
  get #kept() {
    const now = databaseNow(this.#parts.store.db);
    return this.#all.where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]));
  }
}
