import type { RawBuilder, Selectable, Transaction } from 'kysely';
import type { BytesStored } from '../../platform/blobs/store-blobs.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow, databaseNowPlus } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { FileOrigin, FileState } from '../../platform/store/tables/batches.ts';
import { chunkId, chunksAtOnce, encodeChunk, fileChunks } from './file-chunks.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { storingFileChunks, storingGatewayFileChunks } from './storing-job.ts';

export type FileRow = Selectable<Database['files']>;

export interface FileParts {
  readonly store: Store;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly limits: () => FileLimits;
  /** Undefined if another program watches the disk. */
  readonly reserve?: DiskReserve | undefined;
}

export interface FileLimits {
  readonly fileBytesMax: number;
  /** Of the stored chunks of the files that one account sends. */
  readonly accountBytesMax: number;
  readonly accountFilesMax: number;
  /** Of a line of a file with lines. */
  readonly lineBytesMax: number;
}

export interface NewFile {
  readonly accountId: string;
  readonly keyId: string;
  readonly purpose: string;
  readonly filename: string;
  /** How long it is kept once it is complete. Null: until it is deleted. */
  readonly keepMs: number | null;
  /** The state once it is complete. */
  readonly state?: Extract<FileState, 'ready' | 'internal'>;
  /** Default: `fileBytesMax`. */
  readonly bytesMax?: number;
  /** Default: `client`, which counts toward the limits of the account. */
  readonly origin?: FileOrigin;
  /** Whether the length of its lines is limited. */
  readonly hasLines?: boolean;
}

/** What replaces the values of its beginning. */
export type FileEnd = Partial<Pick<FileRow, 'purpose' | 'filename' | 'state'> & Pick<NewFile, 'keepMs'>>;

/** A chunk is sealed and written without a pause, so a larger one would delay other requests. */
const chunkBytes = 256 * 1024;
/** The row names this many chunks ahead, so that all chunks of an abandoned upload are deleted. */
const chunksAhead = 16;
/** An upload without `chunksAhead` more chunks for longer than this has been abandoned. */
export const uploadMs = 2 * 3_600_000;
const newline = 0x0a;

/** Writes a file in sealed chunks, with the memory of one chunk. A chunk ends with a line, if a line ends in it. */
export class FileWriter {
  readonly id: string;
  readonly #parts: FileParts;
  readonly #file: NewFile;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  #lines = 0;
  #lineBytes = 0;
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
    const { store } = parts;
    await parts.reserve?.require();
    const row = {
      id: writer.id,
      account_id: file.accountId,
      key_id: file.keyId,
      purpose: file.purpose,
      filename: file.filename,
      bytes: 0,
      chunks: 0,
      lines: 0,
      origin: writer.#origin,
      state: 'uploading' as const,
      created_at: databaseNow(store.db),
      expires_at: writer.#uploadEnd(),
    };
    await store.transaction(
      async (tx) => {
        if (writer.#origin === 'client') await requireRoom(tx, file.accountId, parts.limits());
        await tx.insertInto('files').values(row).execute();
      },
      { lock: `files of ${file.accountId}` },
    );
    return writer;
  }

  async add(bytes: Buffer): Promise<void> {
    const { fileBytesMax, lineBytesMax } = this.#parts.limits();
    const { bytesMax = fileBytesMax, hasLines } = this.#file;
    this.#bytes += bytes.length;
    if (this.#origin === 'client' && this.#bytes > bytesMax) throw tooLarge(bytesMax);
    this.#countLines(bytes, hasLines === true ? lineBytesMax : Number.POSITIVE_INFINITY);
    this.#pieces.push(bytes);
    this.#pendingBytes += bytes.length;
    while (this.#pendingBytes >= chunkBytes) await this.#write(this.#take(chunkBytes));
  }

  /** Writes what is still in memory. */
  async flush(): Promise<void> {
    if (this.#pendingBytes > 0) await this.#write(this.#take(this.#pendingBytes));
  }

  /** Completes the file. `purpose` may come after the content. Inside a transaction, `flush` comes before. */
  async end(
    { keepMs = this.#file.keepMs, ...changes }: FileEnd = {},
    { db }: Pick<Store, 'db'> = this.#parts.store,
  ): Promise<FileRow> {
    await this.flush();
    const ended = await db
      .updateTable('files')
      .set({
        bytes: this.#bytes,
        chunks: this.#chunks,
        lines: this.#lines + (this.#lineBytes > 0 ? 1 : 0),
        state: this.#file.state ?? 'ready',
        expires_at: keepMs === null ? null : databaseNowPlus(db, keepMs),
        ...changes,
      })
      .where('id', '=', this.id)
      .returningAll()
      .executeTakeFirst();
    if (ended) return ended;
    throw new GatewayError('overloaded', { detail: 'The upload took too long and was deleted. Send it again.' });
  }

  /**
   * Discards the file and its chunks, which count toward the limit of the account, unless it is ready. If this fails, the
   * periodic deletion does it.
   */
  async discard(): Promise<void> {
    const { store } = this.#parts;
    const unready = store.db.updateTable('files').where('id', '=', this.id).where('state', '!=', 'ready');
    const discarded = await unready.set({ state: 'deleted' }).executeTakeFirst();
    if (discarded.numUpdatedRows > 0n) await deleteFile(store, this.id);
  }

  get #origin(): FileOrigin {
    return this.#file.origin ?? 'client';
  }

  /** Until then, its row must be written again. */
  #uploadEnd(): RawBuilder<number> {
    return databaseNowPlus(this.#parts.store.db, uploadMs);
  }

  #countLines(bytes: Buffer, lineBytesMax: number): void {
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      if (this.#lineBytes + at - from > lineBytesMax) throw tooLong(this.#lines + 1, lineBytesMax);
      this.#lines += 1;
      this.#lineBytes = 0;
      from = at + 1;
    }
    this.#lineBytes += bytes.length - from;
    if (this.#lineBytes > lineBytesMax) throw tooLong(this.#lines + 1, lineBytesMax);
  }

  /** The first bytes in memory, up to the end of a line if there is one. */
  #take(bytesMax: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const lineEnd =
      bytesMax < this.#pendingBytes || bytesMax === chunkBytes ? bytes.lastIndexOf(newline, bytesMax - 1) + 1 : 0;
    const end = lineEnd === 0 ? Math.min(bytesMax, bytes.length) : lineEnd;
    const rest = bytes.subarray(end);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#pendingBytes = rest.length;
    return bytes.subarray(0, end);
  }

  async #write(bytes: Buffer): Promise<void> {
    const { store, vault, clock, limits, reserve } = this.#parts;
    const { accountId } = this.#file;
    if (this.#chunks === this.#reserved) {
      this.#reserved += chunksAhead;
      const change = { chunks: this.#reserved, expires_at: this.#uploadEnd() };
      await store.db.updateTable('files').set(change).where('id', '=', this.id).execute();
    }
    const id = chunkId(this.id, this.#chunks);
    this.#chunks += 1;
    const sealed = fileChunks[this.#origin].seal(vault, { accountId, id }, encodeChunk(bytes));
    const blob = { id, accountId, createdAt: clock.now(), sealed };
    if (this.#origin === 'gateway') return void (await store.commit(storingGatewayFileChunks, [blob]));
    const write = (): Promise<BytesStored> => store.commit(storingFileChunks, [blob]);
    const stored = await (reserve ? reserve.during(sealed.length, write) : write());
    const { accountBytesMax } = limits();
    if ((stored.get(accountId) ?? 0) > accountBytesMax) throw full(accountBytesMax);
  }
}

/** Deletes the chunks of a file, and then its row. */
export async function deleteFile(store: Store, id: string): Promise<void> {
  const file = store.db.selectFrom('files').select(['chunks', 'origin']).where('id', '=', id);
  const { chunks = 0, origin = 'client' } = (await file.executeTakeFirst()) ?? {};
  const ids = Array.from({ length: chunks }, (_, chunk) => chunkId(id, chunk));
  for (let from = 0; from < ids.length; from += chunksAtOnce) {
    await store.transaction((tx) => fileChunks[origin].delete(tx, ids.slice(from, from + chunksAtOnce)));
  }
  await store.db.deleteFrom('files').where('id', '=', id).execute();
}

/** Called in the transaction that inserts the file, so that uploads at the same time cannot pass the limit together. */
async function requireRoom(tx: Transaction<Database>, accountId: string, { accountFilesMax }: FileLimits) {
  const counted = await tx
    .selectFrom('files')
    .select(({ fn }) => fn.countAll<number | string>().as('files'))
    .where('account_id', '=', accountId)
    .where('state', 'in', ['ready', 'uploading'])
    .where('origin', '=', 'client')
    .executeTakeFirstOrThrow();
  if (Number(counted.files) >= accountFilesMax) throw tooMany(accountFilesMax);
}

function tooLong(line: number, bytesMax: number): GatewayError {
  return new GatewayError('body-too-large', {
    detail: `Line ${line} of the file is longer than ${bytesMax} bytes. Send a smaller request in it.`,
  });
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
