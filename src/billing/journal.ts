import { close, fdatasync, ftruncate, mkdirSync, openSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import type { Settlement } from './charging.ts';
import { plain } from './plain-settlement.ts';

/** Charges on this machine's disk until the store has them. */
export interface Journal {
  /** Writes charges down at once: the death of this process does not lose them, that of the machine may. */
  note(settlements: readonly Settlement[]): void;
  /** Resolves when all that was noted is on disk for good. */
  sync(): Promise<void>;
  /** Resolves when the settlements are on disk for good. */
  append(settlements: readonly Settlement[]): Promise<void>;
  /** The store has these. Touches no disk, so that a disk that hangs makes nothing grow in memory. */
  taken(settlements: readonly Settlement[]): void;
  /** Empties or removes the files of which the store has every charge. One call at a time. */
  tidy(): Promise<void>;
  /** Leaves nothing behind but what the store does not have. */
  close(): Promise<void>;
  /** The size of its files. */
  readonly bytes: number;
}

/** Under the name of its process: others may read it, and only who knows that its process is dead may remove it. */
export function journal(directory: string, processId: string, failpoint: Failpoint = noFailpoint): Journal {
  return new FileJournal(directory, processId, failpoint);
}

const [synced, truncated, closed] = [promisify(fdatasync), promisify(ftruncate), promisify(close)];

/** A file that has grown to this size is followed by another, and emptied when the store has all of it. */
const fileBytesMax = 64 * 1024;
/** As many files as the charges of a few slow commits fill. */
const sparesMax = 4;

interface JournalPage {
  readonly file: string;
  readonly handle: number;
  bytes: number;
  /** How many of its charges the store does not have. */
  pending: number;
  /** That there is such a file would be known after a power cut. */
  isListed: boolean;
  /** The store has all of it, and its handle may be somebody else's by now. */
  isRemoved: boolean;
}

class FileJournal implements Journal {
  readonly #directory: string;
  readonly #processId: string;
  readonly #failpoint: Failpoint;
  #page: JournalPage | undefined;
  /** Empty ones, the next to be written to: to open a file may take long while the disk is busy. */
  #spares: JournalPage[] = [];
  #pages = 0;
  /** Where each charge stands that the store does not have. */
  readonly #pending = new Map<string, JournalPage>();
  /** Pages without a charge that the store lacks, until they are emptied or removed. */
  readonly #outdated = new Set<JournalPage>();
  /** Pages with something that a power cut would take. */
  readonly #unsynced = new Set<JournalPage>();
  /** Those under way. */
  readonly #syncs = new Set<Promise<void>>();
  /** The last line may not be whole. */
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
    // What another one has taken up is on disk when that is over.
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
      // What is written while the disk is busy counts for the next time.
      this.#unsynced.delete(page);
      try {
        await synced(page.handle);
        await this.#list(page);
      } catch (error) {
        if (page.isRemoved) continue;
        this.#unsynced.add(page);
        throw error;
      }
    }
  }

  taken(settlements: readonly Settlement[]): void {
    for (const { requestId } of settlements) this.#forget(requestId);
  }

  async tidy(): Promise<void> {
    for (const page of this.#outdated) {
      this.#outdated.delete(page);
      const isInUse = page === this.#page && !this.#isClosed && page.bytes < fileBytesMax;
      if (page.pending === 0 && !isInUse) await this.#putAside(page);
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
    if (written < bytes.length) throw new Error('the disk took only a part of a charge');
    this.#isTorn = false;
    for (const { requestId } of settlements) {
      this.#forget(requestId);
      this.#pending.set(requestId, page);
      page.pending += 1;
    }
  }

  /** Which files there are comes to disk too, or a power cut could take a new one with all that is in it. */
  async #list(page: JournalPage): Promise<void> {
    if (page.isListed) return;
    for (const folder of [this.#directory, dirname(this.#directory)]) {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
    page.isListed = true;
  }

  #pageToWrite(): JournalPage {
    if (this.#page && this.#page.bytes < fileBytesMax) return this.#page;
    this.#page = this.#spares.pop() ?? this.#opened();
    return this.#page;
  }

  #opened(): JournalPage {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, `${this.#processId}.${this.#pages}.jsonl`);
    this.#pages += 1;
    return { file, handle: openSync(file, 'a', 0o600), bytes: 0, pending: 0, isListed: false, isRemoved: false };
  }

  #forget(requestId: string): void {
    const page = this.#pending.get(requestId);
    if (!page) return;
    this.#pending.delete(requestId);
    page.pending -= 1;
    if (page.pending === 0) this.#outdated.add(page);
  }

  /** The store has all of it. What is noted from now on is on another page, so that this one can be emptied behind our back. */
  async #putAside(page: JournalPage): Promise<void> {
    if (page === this.#page) this.#page = undefined;
    this.#unsynced.delete(page);
    if (this.#mayKeep) {
      await truncated(page.handle, 0).catch((error: unknown) => this.#remove(page).then(() => Promise.reject(error)));
      page.bytes = 0;
    }
    // It may have been closed meanwhile.
    if (this.#mayKeep) this.#spares.push(page);
    else await this.#remove(page);
  }

  get #mayKeep(): boolean {
    return !this.#isClosed && this.#spares.length < sparesMax;
  }

  async #remove(page: JournalPage): Promise<void> {
    page.isRemoved = true;
    this.#unsynced.delete(page);
    await closed(page.handle);
    await rm(page.file, { force: true });
  }
}

function lineOf(settlement: Settlement): string {
  return `${JSON.stringify(plain(settlement))}\n`;
}
