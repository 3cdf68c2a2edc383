import type { Clock, Timer } from '../core/clock.ts';
import { ChargeError } from './charge-error.ts';
import type { Settlement } from './charging.ts';
import type { Journal } from './journal.ts';

/** A charge on its way to the store, and the callbacks of the request that waits for it. */
export interface PendingCharge {
  readonly settlement: Settlement;
  readonly journal: Journal;
  readonly safe: () => void;
  readonly failed: (error: unknown) => void;
  readonly booked: () => void;
  readonly sinceMs: number;
  /** It is in the journal: a crash of this process does not lose it. */
  isNoted: boolean;
  /** The waiting request has received its result. */
  isSafe: boolean;
}

export interface JournalAckOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /**
   * Whether this process certainly still owns the lease that pays. If not, only the store can confirm that the charge
   * is paid.
   */
  readonly isLeaseSure: (settlement: Settlement) => boolean;
}

/** The longest time that a charge is in memory only. Charges within this time share one write. */
const noteWithinMs = 5;
/**
 * How long a client waits for the store after this process may have expired. From then on only the store can confirm
 * that the money is still there.
 */
const unsureTimeoutMs = 60_000;
/** A disk operation that takes longer counts as failed. */
const diskTimeoutMs = 10_000;

/** Writes every charge to the journal until the store has it, and acknowledges charges that are synced to disk. */
export class JournalAck {
  readonly #options: JournalAckOptions;
  /** Charges that are not in the journal yet, and the timer that writes them. */
  #unnoted: PendingCharge[] = [];
  #noting: Timer | undefined;
  /** Set after a failed write, so that consecutive failures are reported once. */
  #cannotNote = false;
  /** Journals with files whose charges the store has. */
  readonly #untidy = new Set<Journal>();
  #tidying: Promise<void> | undefined;
  /** A disk operation timed out and has not finished since. */
  #isDiskHanging = false;

  constructor(options: JournalAckOptions) {
    this.#options = options;
  }

  /** Writes the charge to the journal within 5 ms. */
  begin(waiting: PendingCharge): void {
    this.#unnoted.push(waiting);
    this.#noting ??= this.#options.clock.after(noteWithinMs, () => this.note());
  }

  /**
   * Writes the charges that are not in the journal yet. Called before each commit, so that a crash during the commit
   * loses nothing.
   */
  note(): void {
    if (this.#unnoted.length === 0) return;
    this.#options.clock.cancel(this.#noting);
    this.#noting = undefined;
    const unnoted = this.#unnoted;
    this.#unnoted = [];
    try {
      for (const [journal, some] of byJournal(unnoted)) {
        journal.note(some.map(settlementOf));
        for (const waiting of some) waiting.isNoted = true;
      }
      this.#cannotNote = false;
    } catch (error) {
      if (!this.#cannotNote) this.#options.onError(error);
      this.#cannotNote = true;
    }
  }

  /** Syncs these charges to disk and acknowledges them, all or none. */
  async acknowledge(fresh: readonly PendingCharge[]): Promise<boolean> {
    this.note();
    if (!fresh.every(({ isNoted }) => isNoted)) return false;
    try {
      await this.#inTime(async () => {
        for (const [journal] of byJournal(fresh)) await journal.sync();
      });
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
    // Check after the sync: it may take longer than the process TTL.
    if (!fresh.every(({ settlement }) => this.#options.isLeaseSure(settlement))) return false;
    for (const waiting of fresh) tell(waiting);
    return true;
  }

  /**
   * Called when the store takes too long. Acknowledges charges from the journal if their lease is certain. Rejects the
   * others after 60 s.
   */
  async standIn(all: readonly PendingCharge[]): Promise<void> {
    const { clock, isLeaseSure } = this.#options;
    const isLate = ({ sinceMs }: PendingCharge): boolean => clock.elapsed() - sinceMs > unsureTimeoutMs;
    const unsafe = all.filter((each) => !each.isSafe && (isLeaseSure(each.settlement) || isLate(each)));
    await this.#inTime(async () => {
      for (const [journal, some] of byJournal(unsafe)) await journal.append(some.map(settlementOf));
    });
    for (const waiting of unsafe) {
      if (isLeaseSure(waiting.settlement)) tell(waiting);
      else refuse(waiting);
    }
  }

  /**
   * Removes charges from the journal that the store has. If the disk hangs, this is done when it answers. A charge that
   * remains is replayed at the next start, and found to be booked.
   */
  forget(taken: readonly PendingCharge[]): Promise<void> {
    for (const [journal, some] of byJournal(taken)) {
      journal.taken(some.map(settlementOf));
      this.#untidy.add(journal);
    }
    this.#tidying ??= this.#tidyAll().finally(() => (this.#tidying = undefined));
    const tidying = this.#tidying;
    return this.#inTime(() => tidying);
  }

  async #tidyAll(): Promise<void> {
    for (const journal of this.#untidy) {
      this.#untidy.delete(journal);
      await journal.tidy().catch(this.#options.onError);
    }
  }

  /** Limits a disk operation to 10 s. While one hangs, further operations are rejected at once. */
  #inTime(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const hanging = (): Error => new Error('the disk of the journal does not respond');
    if (this.#isDiskHanging) return Promise.reject(hanging());
    return new Promise((resolve, reject) => {
      const timer = clock.after(diskTimeoutMs, () => {
        this.#isDiskHanging = true;
        reject(hanging());
      });
      const over = (): void => {
        clock.cancel(timer);
        this.#isDiskHanging = false;
      };
      work().finally(over).then(resolve, reject);
    });
  }
}

function byJournal(charges: readonly PendingCharge[]): ReadonlyMap<Journal, readonly PendingCharge[]> {
  return Map.groupBy(charges, ({ journal }) => journal);
}

export function settlementOf({ settlement }: PendingCharge): Settlement {
  return settlement;
}

function tell(waiting: PendingCharge): void {
  waiting.isSafe = true;
  waiting.safe();
}

/** Rejects a request whose answer is complete, but whose charge could not be confirmed. */
function refuse(waiting: PendingCharge): void {
  const detail =
    'The answer is complete, but the gateway could not reach its database to confirm the payment. The request is charged once the database is back.';
  waiting.isSafe = true;
  waiting.failed(new ChargeError('overloaded', { detail, uncharged: 0n }));
}
