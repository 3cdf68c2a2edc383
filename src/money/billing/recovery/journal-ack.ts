import type { Nano } from '../../../core/money.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { ChargeError } from '../ledger/charge-error.ts';
import type { Settlement } from '../ledger/charging.ts';
import type { Journal } from './journal.ts';

/** A charge on its way to the store, and the callbacks of the request that waits for it. */
export interface PendingCharge {
  readonly settlement: Settlement;
  readonly journal: Journal;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly onBooked: (stillLeased: Nano) => void;
  readonly sinceMs: number;
  /** It is in the journal: a crash of this process does not lose it. */
  isJournaled: boolean;
  /** The waiting request has received its result. */
  isAcknowledged: boolean;
}

export interface JournalAckOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /**
   * Whether this process certainly still owns the lease that pays. If not, only the store can confirm that the charge
   * is paid.
   */
  readonly isLeaseCertain: (settlement: Settlement) => boolean;
}

/** The longest time that a charge is in memory only. Charges within this time share one write. */
const writeWithinMs = 5;
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
  #unwritten: PendingCharge[] = [];
  #writeTimer: Timer | undefined;
  /** Set after a failed write, so that consecutive failures are reported once. */
  #isWriteFailing = false;
  /** Journals with files whose charges the store has. */
  readonly #untidy = new Set<Journal>();
  #tidying: Promise<void> | undefined;
  /** A disk operation timed out and has not finished since. */
  #isDiskHanging = false;

  constructor(options: JournalAckOptions) {
    this.#options = options;
  }

  /** Writes the charge to the journal within 5 ms. */
  add(pending: PendingCharge): void {
    this.#unwritten.push(pending);
    this.#writeTimer ??= this.#options.clock.after(writeWithinMs, () => this.write());
  }

  /**
   * Writes the charges that are not in the journal yet. Called before each commit, so that a crash during the commit
   * loses nothing.
   */
  write(): void {
    if (this.#unwritten.length === 0) return;
    this.#options.clock.cancel(this.#writeTimer);
    this.#writeTimer = undefined;
    const unwritten = this.#unwritten;
    this.#unwritten = [];
    try {
      for (const [journal, some] of byJournal(unwritten)) {
        journal.note(some.map(settlementOf));
        for (const pending of some) pending.isJournaled = true;
      }
      this.#isWriteFailing = false;
    } catch (error) {
      if (!this.#isWriteFailing) this.#options.onError(error);
      this.#isWriteFailing = true;
    }
  }

  /** Syncs these charges to disk and acknowledges them, all or none. */
  async acknowledge(unacknowledged: readonly PendingCharge[]): Promise<boolean> {
    this.write();
    if (!unacknowledged.every(({ isJournaled }) => isJournaled)) return false;
    try {
      await this.#withTimeout(async () => {
        for (const [journal] of byJournal(unacknowledged)) await journal.sync();
      });
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
    // Check after the sync: it may take longer than the process TTL.
    if (!unacknowledged.every(({ settlement }) => this.#options.isLeaseCertain(settlement))) return false;
    for (const pending of unacknowledged) resolveCharge(pending);
    return true;
  }

  /**
   * Called when the store takes too long. Acknowledges charges from the journal if their lease is certain. Rejects the
   * others after 60 s.
   */
  async acknowledgeWithoutStore(all: readonly PendingCharge[]): Promise<void> {
    const { clock, isLeaseCertain } = this.#options;
    const isLate = ({ sinceMs }: PendingCharge): boolean => clock.elapsed() - sinceMs > unsureTimeoutMs;
    const ready = all.filter((each) => !each.isAcknowledged && (isLeaseCertain(each.settlement) || isLate(each)));
    await this.#withTimeout(async () => {
      for (const [journal, some] of byJournal(ready)) await journal.append(some.map(settlementOf));
    });
    for (const pending of ready) {
      if (isLeaseCertain(pending.settlement)) resolveCharge(pending);
      else rejectUnconfirmed(pending);
    }
  }

  /**
   * Removes charges from the journal that the store has. If the disk hangs, this is done when it responds. A charge
   * that remains is replayed at the next start, and found to be booked.
   */
  removeBooked(booked: readonly PendingCharge[]): Promise<void> {
    for (const [journal, some] of byJournal(booked)) {
      journal.taken(some.map(settlementOf));
      this.#untidy.add(journal);
    }
    this.#tidying ??= this.#tidyAll().finally(() => (this.#tidying = undefined));
    const tidying = this.#tidying;
    return this.#withTimeout(() => tidying);
  }

  async #tidyAll(): Promise<void> {
    for (const journal of this.#untidy) {
      this.#untidy.delete(journal);
      await journal.tidy().catch(this.#options.onError);
    }
  }

  /** Limits a disk operation to 10 s. While one hangs, further operations are rejected at once. */
  #withTimeout(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const timeoutError = (): Error => new Error('the disk of the journal does not respond');
    if (this.#isDiskHanging) return Promise.reject(timeoutError());
    return new Promise((resolve, reject) => {
      const timer = clock.after(diskTimeoutMs, () => {
        this.#isDiskHanging = true;
        reject(timeoutError());
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

function resolveCharge(pending: PendingCharge): void {
  pending.isAcknowledged = true;
  pending.resolve();
}

/** Rejects a request whose answer is complete, but whose charge could not be confirmed. */
function rejectUnconfirmed(pending: PendingCharge): void {
  const detail =
    'The answer is complete, but the gateway could not reach its database to confirm the payment. The request is charged once the database is back.';
  pending.isAcknowledged = true;
  pending.reject(new ChargeError('overloaded', { detail, uncharged: 0n }));
}
