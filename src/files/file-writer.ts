import type { Selectable } from 'kysely';
import type { SecretVault } from '../catalog/secret-vault.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { FileState } from '../store/tables/batches.ts';
import { chunkId, chunksAtOnce, encodeChunk, fileChunks } from './file-chunks.ts';
import { storingFileChunks } from './storing-job.ts';

export type FileRow = Selectable<Database['files']>;

export interface FileParts {
  readonly store: Store;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly limits: () => FileLimits;
}

export interface FileLimits {
  readonly fileBytesMax: number;
  /** Of the stored chunks of one account. */
  readonly accountBytesMax: number;
  readonly accountFilesMax: number;
  /** A line of a batch file is never split into chunks, up to this size. */
  readonly lineBytesMax: number;
}

export interface NewFile {
  readonly accountId: string;
  readonly keyId: string;
  readonly purpose: string;
  readonly filename: string;
  readonly expiresAt: number | null;
  /** The state once it is complete. */
  readonly state?: Extract<FileState, 'ready' | 'internal'>;
  /** Default: `fileBytesMax`. */
  readonly bytesMax?: number;
  /** Whether it counts toward the limits of the account. Files that the gateway writes do not. */
  readonly isUnlimited?: boolean;
}

/** A chunk is sealed and written without a pause, so a larger one would delay other requests. */
const chunkBytes = 256 * 1024;
/** The row names this many chunks ahead, so that all chunks of an abandoned upload are deleted. */
const chunksAhead = 64;
const newline = 0x0a;

/** Writes a file in sealed chunks of whole lines, with the memory of one chunk. */
export class FileWriter {
  readonly id: string;
  readonly #parts: FileParts;
  readonly #file: NewFile;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  #hasNewline = false;
  #bytes = 0;
  #chunks = 0;
  #reserved = 0;

  private constructor(parts: FileParts, file: NewFile, id: string) {
    this.#parts = parts;
    this.#file = file;
    this.id = id;
  }

  static async begin(parts: FileParts, file: NewFile): Promise<FileWriter> {
    const writer = new FileWriter(parts, file, `file-${parts.newId()}`);
    const { store, clock, limits } = parts;
    if (file.isUnlimited !== true) {
      const { accountFilesMax } = limits();
      const counted = await store.db
        .selectFrom('files')
        .select(({ fn }) => fn.countAll<number | string>().as('files'))
        .where('account_id', '=', file.accountId)
        .where('state', 'in', ['ready', 'uploading'])
        .executeTakeFirstOrThrow();
      if (Number(counted.files) >= accountFilesMax) throw tooMany(accountFilesMax);
    }
    await store.db
      .insertInto('files')
      .values({
        id: writer.id,
        account_id: file.accountId,
        key_id: file.keyId,
        purpose: file.purpose,
        filename: file.filename,
        bytes: 0,
        chunks: 0,
        state: 'uploading',
        created_at: clock.now(),
        expires_at: file.expiresAt,
      })
      .execute();
    return writer;
  }

  async add(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    const { bytesMax: fileBytesMax = this.#parts.limits().fileBytesMax, isUnlimited } = this.#file;
    if (isUnlimited !== true && this.#bytes > fileBytesMax) throw tooLarge(fileBytesMax);
    this.#pieces.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#hasNewline ||= bytes.includes(newline);
    const bytesMax = this.#hasNewline ? chunkBytes : this.#parts.limits().lineBytesMax;
    if (this.#pendingBytes >= bytesMax) await this.#writeWholeLines();
  }

  /** Completes the file. `purpose` may come after the content. */
  async end(changes: Partial<Pick<FileRow, 'purpose' | 'filename' | 'expires_at' | 'state'>> = {}): Promise<FileRow> {
    if (this.#pendingBytes > 0) await this.#write(this.#take());
    return this.#parts.store.db
      .updateTable('files')
      .set({ bytes: this.#bytes, chunks: this.#chunks, state: this.#file.state ?? 'ready', ...changes })
      .where('id', '=', this.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** Discards the file and its chunks, which count toward the limit of the account. If this fails, the periodic deletion does it. */
  async discard(): Promise<void> {
    const { store } = this.#parts;
    await store.db.updateTable('files').set({ state: 'deleted' }).where('id', '=', this.id).execute();
    await deleteFile(store, this.id);
  }

  /** Keeps the bytes after the last newline. A line that is too long is split, and the batch reports it. */
  async #writeWholeLines(): Promise<void> {
    const bytes = this.#take();
    const end = bytes.lastIndexOf(newline) + 1;
    const whole = end === 0 ? bytes : bytes.subarray(0, end);
    if (end > 0) this.#keep(Buffer.from(bytes.subarray(end)));
    await this.#write(whole);
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#pieces = [rest];
    this.#pendingBytes = rest.length;
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pendingBytes = 0;
    this.#hasNewline = false;
    return bytes;
  }

  async #write(bytes: Buffer): Promise<void> {
    const { store, vault, clock, limits } = this.#parts;
    const { accountId } = this.#file;
    if (this.#chunks === this.#reserved) {
      this.#reserved += chunksAhead;
      await store.db.updateTable('files').set({ chunks: this.#reserved }).where('id', '=', this.id).execute();
    }
    const id = chunkId(this.id, this.#chunks);
    this.#chunks += 1;
    const sealed = fileChunks.seal(vault, { accountId, id }, encodeChunk(bytes));
    const stored = await store.commit(storingFileChunks, [{ id, accountId, createdAt: clock.now(), sealed }]);
    const { accountBytesMax } = limits();
    if (this.#file.isUnlimited !== true && (stored.get(accountId) ?? 0) > accountBytesMax) throw full(accountBytesMax);
  }
}

/** Deletes the chunks of a file, and then its row. */
export async function deleteFile(store: Store, id: string): Promise<void> {
  const file = store.db.selectFrom('files').select('chunks').where('id', '=', id);
  const { chunks = 0 } = (await file.executeTakeFirst()) ?? {};
  const ids = Array.from({ length: chunks }, (_, chunk) => chunkId(id, chunk));
  for (let from = 0; from < ids.length; from += chunksAtOnce) {
    await store.transaction((tx) => fileChunks.delete(tx, ids.slice(from, from + chunksAtOnce)));
  }
  await store.db.deleteFrom('files').where('id', '=', id).execute();
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body-too-large', {
    detail: `The file is larger than ${bytesMax} bytes. Send a smaller one.`,
  });
}

function tooMany(filesMax: number): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `This account already has ${filesMax} files. Delete files that you no longer need.`,
  });
}

function full(bytesMax: number): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `The files of this account would exceed ${bytesMax} bytes. Delete files that you no longer need.`,
  });
}
