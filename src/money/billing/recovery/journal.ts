import { close, fdatasync, ftruncate, mkdirSync, openSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Failpoint, noFailpoint } from '../../../core/failpoint.ts';
import type { Settlement } from '../ledger/charging.ts';
import { encodeSettlement } from '../ledger/settlement-json.ts';

/** The gateway's write-ahead log: charges on local disk until the store has them. */
export interface Journal {
  /** Writes charges synchronously. They survive a crash of this process, but maybe not of the machine. */
  note(settlements: readonly Settlement[]): void;
  /** Resolves when everything written so far is synced to disk. */
  sync(): Promise<void>;
  /** Writes the settlements. Resolves when they are synced to disk. */
  append(settlements: readonly Settlement[]): Promise<void>;
  /** Marks charges that the store has. Does no disk I/O, so that memory does not grow while the disk hangs. */
  taken(settlements: readonly Settlement[]): void;
  /** Empties or removes the files whose charges the store has. One call at a time. */
  tidy(): Promise<void>;
  /** Removes all files except those with charges that the store lacks. */
  close(): Promise<void>;
  /** The size of the files in use. */
  readonly bytes: number;
}

/**
 * The files carry the id of their process. Other processes may read them, but only remove them once that process has
 * expired.
 */
export function journal(directory: string, processId: string, failpoint: Failpoint = noFailpoint): Journal {
  return new FileJournal(directory, processId, failpoint);
}

const [syncFile, truncateFile, closeFile] = [promisify(fdatasync), promisify(ftruncate), promisify(close)];

/** A file of this size is followed by another, and emptied when the store has all of its charges. */
const fileBytesMax = 64 * 1024;
/** Enough files for the charges of a few slow commits. */
const sparesMax = 4;

interface JournalPage {
  readonly file: string;
  readonly handle: number;
  bytes: number;
  /** The number of its charges that the store lacks. */
  pending: number;
  /** Whether the directory entry of the file is synced, so that the file survives a power cut. */
  isDirectorySynced: boolean;
  /** The file is closed and deleted. Its handle may be reused for another file. */
  isRemoved: boolean;
}

class FileJournal implements Journal {
  readonly #directory: string;
  readonly #processId: string;
  readonly #failpoint: Failpoint;
  #page: JournalPage | undefined;
  /** Empty files to write to next: opening a file can be slow while the disk is busy. */
  #spares: JournalPage[] = [];
  #pages = 0;
  /** The file of each charge that the store lacks. */
  readonly #pending = new Map<string, JournalPage>();
  /** Files without pending charges, until they are emptied or removed. */
  readonly #outdated = new Set<JournalPage>();
  /** Files with unsynced data. */
  readonly #unsynced = new Set<JournalPage>();
  /** Syncs in progress. */
  readonly #syncs = new Set<Promise<void>>();
  /** The last line may be incomplete. */
  #isTorn = false;
  #isClosed = false;

  constructor(directory: string, processId: string, failpoint: Failpoint) {
    this.#directory = directory;
    this.#processId = processId;
    this.#failpoint = failpoint;
  }

  get bytes(): number {
    const pages = new Set(this.#pending.values());
    if (this.#page) pages.add(this.#page);
    return [...pages].reduce((sum, page) => sum + page.bytes, 0);
  }

  note(settlements: readonly Settlement[]): void {
    if (settlements.length > 0) this.#write(settlements);
  }

  async append(settlements: readonly Settlement[]): Promise<void> {
    if (settlements.length === 0) return;
    this.#write(settlements);
    await this.sync();
  }

  async sync(): Promise<void> {
    // Data that an earlier sync covers is on disk when that sync ends.
    const begun = [...this.#syncs];
    const own = this.#sync();
    this.#syncs.add(own);
    try {
      await Promise.all([own, ...begun]);
    } finally {
      this.#syncs.delete(own);
    }
    this.#failpoint('ledger.journaled');
  }

  async #sync(): Promise<void> {
    for (const page of Array.from(this.#unsynced)) {
      if (page.isRemoved) continue;
      // Data written during this sync is covered by the next one.
      this.#unsynced.delete(page);
      try {
        await syncFile(page.handle);
        await this.#syncDirectories(page);
      } catch (error) {
        if (page.isRemoved) continue;
        this.#unsynced.add(page);
        throw error;
      }
    }
  }

  taken(settlements: readonly Settlement[]): void {
    for (const { requestId } of settlements) this.#markBooked(requestId);
  }

  async tidy(): Promise<void> {
    for (const page of this.#outdated) {
      this.#outdated.delete(page);
      const isInUse = page === this.#page && !this.#isClosed && page.bytes < fileBytesMax;
      if (page.pending === 0 && !isInUse) await this.#recycle(page);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pages = new Set([this.#page, ...this.#spares.splice(0), ...this.#outdated]);
    this.#page = undefined;
    this.#outdated.clear();
    for (const page of pages) if (page?.pending === 0) await this.#remove(page);
  }

  #write(settlements: readonly Settlement[]): void {
    const page = this.#pageToWrite();
    const bytes = Buffer.from((this.#isTorn ? '\n' : '') + settlements.map(lineOf).join(''));
    this.#isTorn = true;
    this.#unsynced.add(page);
    const written = writeSync(page.handle, bytes);
    page.bytes += written;
    if (written < bytes.length) throw new Error('the disk wrote only part of a charge');
    this.#isTorn = false;
    for (const { requestId } of settlements) {
      this.#markBooked(requestId);
      this.#pending.set(requestId, page);
      page.pending += 1;
    }
  }

  /** Syncs the directories too: otherwise a power cut could lose a new file and all its charges. */
  async #syncDirectories(page: JournalPage): Promise<void> {
    if (page.isDirectorySynced) return;
    for (const folder of [this.#directory, dirname(this.#directory)]) {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
    page.isDirectorySynced = true;
  }

  #pageToWrite(): JournalPage {
    if (this.#page && this.#page.bytes < fileBytesMax) return this.#page;
    this.#page = this.#spares.pop() ?? this.#openPage();
    return this.#page;
  }

  #openPage(): JournalPage {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, `${this.#processId}.${this.#pages}.jsonl`);
    this.#pages += 1;
    return {
      file,
      handle: openSync(file, 'a', 0o600),
      bytes: 0,
      pending: 0,
      isDirectorySynced: false,
      isRemoved: false,
    };
  }

  #markBooked(requestId: string): void {
    const page = this.#pending.get(requestId);
    if (!page) return;
    this.#pending.delete(requestId);
    page.pending -= 1;
    if (page.pending === 0) this.#outdated.add(page);
  }

  /**
   * Empties a file whose charges the store has, or removes it. New charges go to another file, because this one is
   * truncated asynchronously.
   */
  async #recycle(page: JournalPage): Promise<void> {
    if (page === this.#page) this.#page = undefined;
    this.#unsynced.delete(page);
    if (this.#canKeepSpare) {
      await truncateFile(page.handle, 0).catch((error: unknown) =>
        this.#remove(page).then(() => Promise.reject(error)),
      );
      page.bytes = 0;
    }
    // `close` may have run during the truncation.
    if (this.#canKeepSpare) this.#spares.push(page);
    else await this.#remove(page);
  }

  get #canKeepSpare(): boolean {
    return !this.#isClosed && this.#spares.length < sparesMax;
  }

  async #remove(page: JournalPage): Promise<void> {
    page.isRemoved = true;
    this.#unsynced.delete(page);
    await closeFile(page.handle);
    await rm(page.file, { force: true });
  }
}

function lineOf(settlement: Settlement): string {
  return `${JSON.stringify(encodeSettlement(settlement))}\n`;
}
