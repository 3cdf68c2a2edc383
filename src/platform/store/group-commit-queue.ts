import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from 'chat-formats/assert.ts';
import type { Clock, Timer } from '../../core/time/clock.ts';
import { bisect, type RejectedItem } from './bisect.ts';
import type { PiggybackedWrite } from './commits.ts';
import type { Task } from './job.ts';
import type { Store } from './store.ts';
import { isUnreachable } from './postgres/unreachable.ts';

export interface GroupCommitOptions<Entry, Result> {
  readonly clock: Clock;
  /** Commits these entries, all or none. An entry whose commit was not confirmed is passed again. */
  readonly commit: (batch: readonly Entry[]) => Promise<Result>;
  /** Called when the store has these entries. The next batch waits for it, except after a piggybacked write. */
  readonly onCommitted: (batch: readonly Entry[], result: Result) => Promise<void> | void;
  /** Called for an entry that the store rejects although it accepts others. The entry has left the queue. */
  readonly onRejected: (entry: Entry, error: unknown) => Promise<void> | void;
  readonly limits: GroupCommitLimits<Entry>;
  /** Absent: a batch that the store rejects is not retried, and all its entries are rejected. */
  readonly retry?: GroupCommitRetry | undefined;
  /** Batching delay. A full batch does not wait for it. Absent: the owner calls `attempt`. */
  readonly delayMs?: number;
  /** Shares the commits of other writes. */
  readonly piggyback?: { readonly store: Store; readonly task: (batch: readonly Entry[]) => Task };
  /** Called for each failed attempt in the background, and for the last one before the queue stops. */
  readonly onError: (error: unknown) => void;
}

interface GroupCommitLimits<Entry> {
  /** Entries of one commit. A commit costs far more than an entry, and other writes wait for a long commit. */
  readonly batchMax: number;
  readonly batchBytesMax?: number;
  readonly bytesOf?: (entry: Entry) => number;
  /** Entries in memory while the store does not accept them. */
  readonly queueMax?: number;
}

interface GroupCommitRetry {
  /** How often a reachable store may reject a batch before the entries at fault are isolated. */
  readonly attemptsMax: number;
  /** Pause before the next attempt in the background. */
  readonly pauseMs?: number;
  /** If a store rejects every entry of a batch, it may be broken: the batch moves to the end and waits. */
  readonly keepsRejectedBatch?: boolean;
}

/**
 * Group commit: entries wait in order of arrival and share commits, one commit at a time. An entry that the store
 * always rejects is isolated, so that it does not block the others. An unreachable store rejects no entry.
 */
export class GroupCommitQueue<Entry, Result> {
  readonly #options: GroupCommitOptions<Entry, Result>;
  readonly #stopPiggybacking: (() => void) | undefined;
  readonly #waiting: Entry[] = [];
  /** The commit in progress. Resolves when it has ended, also if it failed. */
  #running: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** How often a reachable store has rejected the first batch. */
  #rejections = 0;
  /** The last piggybacked batch failed. The next one gets a commit of its own, so that it cannot fail other writes. */
  #hasPiggybackFailed = false;
  #isStopped = false;

  constructor(options: GroupCommitOptions<Entry, Result>) {
    this.#options = options;
    this.#stopPiggybacking = options.piggyback?.store.piggyback(() => this.#nextPiggybacked());
  }

  /** The entries that the store lacks, in order. */
  get waiting(): readonly Entry[] {
    return this.#waiting;
  }

  /** Returns whether the entry is queued: false if the queue is full or stopped. */
  push(entry: Entry): boolean {
    const { delayMs, limits } = this.#options;
    if (this.#isStopped || this.#waiting.length >= (limits.queueMax ?? Number.POSITIVE_INFINITY)) return false;
    this.#waiting.push(entry);
    if (delayMs !== undefined && this.#waiting.length === limits.batchMax) this.#flushInBackground();
    else this.#schedule();
    return true;
  }

  /** Commits the first batch. Rejects if the store does not accept it: then its entries still wait. */
  async attempt(): Promise<void> {
    const end = this.#begin();
    try {
      await this.#commitFirst();
    } finally {
      end();
    }
  }

  /** Resolves when the store has all entries; rejects when it does not accept them. */
  flush(): Promise<void> {
    this.#flushing ??= this.#commitAll();
    return this.#flushing;
  }

  /** Commits the remaining entries, in one attempt, and accepts no more. Returns the entries that the store lacks. */
  async stop(): Promise<readonly Entry[]> {
    this.#isStopped = true;
    this.#stopPiggybacking?.();
    this.#cancelTimer();
    await this.flush().catch(this.#options.onError);
    return this.#waiting.splice(0);
  }

  async #commitAll(): Promise<void> {
    try {
      // Entries of the same tick join the batch.
      await nextTurn();
      while (this.#waiting.length > 0) await (this.#running ?? this.attempt());
    } catch (error) {
      this.#flushAfter(this.#options.retry?.pauseMs);
      throw error;
    } finally {
      this.#flushing = undefined;
    }
  }

  #schedule(): void {
    const { delayMs } = this.#options;
    // A pending timer is a retry.
    if (delayMs === 0 && this.#timer === undefined) this.#flushInBackground();
    else this.#flushAfter(delayMs);
  }

  #flushInBackground(): void {
    if (!this.#flushing) this.flush().catch(this.#options.onError);
  }

  #flushAfter(ms: number | undefined): void {
    if (ms === undefined || this.#isStopped || this.#timer !== undefined) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = undefined;
      this.#flushInBackground();
    });
    this.#timer.unref();
  }

  #cancelTimer(): void {
    this.#options.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the function that ends the commit. */
  #begin(): () => void {
    assert(this.#running === undefined, 'a queue has one commit at a time');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = promise;
    return () => {
      this.#running = undefined;
      resolve();
    };
  }

  async #commitFirst(): Promise<void> {
    const { commit, retry, onCommitted, onRejected } = this.#options;
    const batch = this.#firstBatch();
    const committed: { readonly part: readonly Entry[]; readonly result: Result }[] = [];
    const rejected = await this.#write(batch, async (part) => {
      const result = await commit(part);
      if (part.length > 0) committed.push({ part, result });
    });
    const [first] = rejected;
    if (first && retry?.keepsRejectedBatch && rejected.length === batch.length) {
      this.#waiting.push(...this.#waiting.splice(0, batch.length));
      throw first.error;
    }
    this.#removeFirst(batch.length);
    await Promise.all([
      ...committed.map(async ({ part, result }) => onCommitted(part, result)),
      ...rejected.map(async ({ item, error }) => onRejected(item, error)),
    ]);
  }

  /** Returns the entries that the store rejects although it accepts others. */
  async #write(
    batch: readonly Entry[],
    write: (part: readonly Entry[]) => Promise<void>,
  ): Promise<readonly RejectedItem<Entry>[]> {
    const { retry } = this.#options;
    const isLastAttempt = retry && (this.#rejections >= retry.attemptsMax || this.#isStopped);
    try {
      if (isLastAttempt) return await bisect(batch, write);
      await write(batch);
      return [];
    } catch (error) {
      if (!retry) return batch.map((item) => ({ item, error }));
      if (isUnreachable(error)) throw error;
      this.#rejections += 1;
      // The queue was stopped during this attempt, so no other one follows.
      if (this.#isStopped && !isLastAttempt) return bisect(batch, write);
      throw error;
    }
  }

  #firstBatch(): readonly Entry[] {
    const { batchMax, batchBytesMax = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = this.#options.limits;
    let bytes = 0;
    const over = this.#waiting.findIndex((entry, at) => {
      bytes += bytesOf(entry);
      return at > 0 && (at >= batchMax || bytes > batchBytesMax);
    });
    return this.#waiting.slice(0, over < 0 ? this.#waiting.length : over);
  }

  #removeFirst(count: number): void {
    this.#rejections = 0;
    this.#hasPiggybackFailed = false;
    this.#waiting.splice(0, count);
    // Entries queued meanwhile get the full batching delay too.
    this.#cancelTimer();
    if (this.#waiting.length > 0) this.#schedule();
  }

  #nextPiggybacked(): PiggybackedWrite | undefined {
    const { piggyback, retry, onCommitted } = this.#options;
    if (!piggyback || this.#running || this.#hasPiggybackFailed || this.#waiting.length === 0) return undefined;
    const batch = this.#firstBatch();
    const task = piggyback.task(batch);
    const end = this.#begin();
    return {
      task,
      taken: (result) => {
        this.#removeFirst(batch.length);
        end();
        void onCommitted(batch, result as Result);
      },
      refused: () => {
        this.#hasPiggybackFailed = true;
        end();
        this.#flushAfter(retry?.pauseMs);
      },
    };
  }
}
