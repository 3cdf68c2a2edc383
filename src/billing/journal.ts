import { closeSync, fdatasync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
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
  /** Resolves when the settlements are on disk for good. */
  append(settlements: readonly Settlement[]): Promise<void>;
  /** The store has these. */
  taken(settlements: readonly Settlement[]): Promise<void>;
  /** Leaves nothing behind but what the store does not have. */
  close(): Promise<void>;
  /** The size of its files. */
  readonly bytes: number;
}

/** Under the name of its process: others may read it, and only who knows that its process is dead may remove it. */
export function journal(directory: string, processId: string, failpoint: Failpoint = noFailpoint): Journal {
  return new FileJournal(directory, processId, failpoint);
}

const synced = promisify(fdatasync);

/** A file that has grown to this size is begun anew, or followed by another where some of it is not yet in the store. */
const fileBytesMax = 64 * 1024;

interface Page {
  readonly file: string;
  readonly handle: number;
  bytes: number;
  /** How many of its charges the store does not have. */
  pending: number;
  /** That there is such a file would be known after a power cut. */
  isListed: boolean;
}

class FileJournal implements Journal {
  readonly #directory: string;
  readonly #processId: string;
  readonly #failpoint: Failpoint;
  #page: Page | undefined;
  #pages = 0;
  /** Where each charge stands that the store does not have. */
  readonly #pending = new Map<string, Page>();
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
    const page = this.#write(settlements);
    await synced(page.handle);
    await this.#list(page);
    this.#failpoint('ledger.journaled');
  }

  async taken(settlements: readonly Settlement[]): Promise<void> {
    const done = settlements.flatMap(({ requestId }) => this.#forget(requestId) ?? []);
    for (const page of new Set(done)) {
      if (page.pending > 0) continue;
      if (page !== this.#page || this.#isClosed) await this.#remove(page);
      else if (page.bytes >= fileBytesMax) this.#empty(page);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const page = this.#page;
    this.#page = undefined;
    if (page && page.pending === 0) await this.#remove(page);
  }

  #write(settlements: readonly Settlement[]): Page {
    const page = this.#pageToWrite();
    const bytes = Buffer.from((this.#isTorn ? '\n' : '') + settlements.map(lineOf).join(''));
    this.#isTorn = true;
    const written = writeSync(page.handle, bytes);
    page.bytes += written;
    if (written < bytes.length) throw new Error('the disk took only a part of a charge');
    this.#isTorn = false;
    for (const { requestId } of settlements) {
      this.#forget(requestId);
      this.#pending.set(requestId, page);
      page.pending += 1;
    }
    return page;
  }

  /** Which files there are comes to disk too, or a power cut could take a new one with all that is in it. */
  async #list(page: Page): Promise<void> {
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

  #pageToWrite(): Page {
    if (this.#page && this.#page.bytes < fileBytesMax) return this.#page;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, `${this.#processId}.${this.#pages}.jsonl`);
    const page = { file, handle: openSync(file, 'a', 0o600), bytes: 0, pending: 0, isListed: false };
    this.#pages += 1;
    this.#page = page;
    return page;
  }

  /** The page it stood on. */
  #forget(requestId: string): Page | undefined {
    const page = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (page) page.pending -= 1;
    return page;
  }

  #empty(page: Page): void {
    ftruncateSync(page.handle, 0);
    page.bytes = 0;
  }

  async #remove(page: Page): Promise<void> {
    // What is noted after the end is on a page of its own.
    if (page === this.#page) this.#page = undefined;
    closeSync(page.handle);
    await rm(page.file, { force: true });
  }
}

function lineOf(settlement: Settlement): string {
  return `${JSON.stringify(plain(settlement))}\n`;
}
