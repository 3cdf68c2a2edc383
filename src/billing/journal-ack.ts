import type { Clock, Timer } from '../core/clock.ts';
import { ChargeError } from './charge-error.ts';
import type { Settlement } from './charging.ts';
import type { Journal } from './journal.ts';

/** A charge on its way to the store, and who waits to hear of it. */
export interface PendingCharge {
  readonly settlement: Settlement;
  readonly journal: Journal;
  readonly safe: () => void;
  readonly failed: (error: unknown) => void;
  readonly booked: () => void;
  readonly sinceMs: number;
  /** It is in the journal: the death of this process does not lose it. */
  isNoted: boolean;
  /** Whoever waited for it has been told. */
  isSafe: boolean;
}

export interface JournalAckOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Whether what was set aside for a charge is still ours for certain: otherwise only the store can tell that it is paid. */
  readonly isLeaseSure: (settlement: Settlement) => boolean;
}

/** How long a charge may be in memory alone: those that come so close together are written down in one go. */
const noteWithinMs = 5;
/**
 * How long a client waits for the store once this process may have been taken for dead: only the store knows by then
 * whether what was set aside for the charge is still there.
 */
const unsureTimeoutMs = 60_000;
/** A disk that takes longer than this is as good as one that fails. */
const diskTimeoutMs = 10_000;

/** The journal's part in a charge: it has every charge until the store does, and acknowledges those it has for good. */
export class JournalAck {
  readonly #options: JournalAckOptions;
  /** Charges that are written down nowhere yet, and when they will be. */
  #unnoted: PendingCharge[] = [];
  #noting: Timer | undefined;
  /** So that a disk that takes nothing is told of once. */
  #cannotNote = false;
  /** Journals with files that the store makes superfluous. */
  readonly #untidy = new Set<Journal>();
  #tidying: Promise<void> | undefined;
  /** The disk has not answered in time, and has not since. */
  #isDiskHanging = false;

  constructor(options: JournalAckOptions) {
    this.#options = options;
  }

  /** From now on it is written down within moments. */
  begin(waiting: PendingCharge): void {
    this.#unnoted.push(waiting);
    this.#noting ??= this.#options.clock.after(noteWithinMs, () => this.note());
  }

  /** Writes down what is not yet: before the store is asked, so that whatever ends this process meanwhile loses nothing. */
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

  /** Has these on the disk for good and tells them so, all or none. */
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
    // Asked now: to sync a disk may take longer than a process is believed to live.
    if (!fresh.every(({ settlement }) => this.#options.isLeaseSure(settlement))) return false;
    for (const waiting of fresh) tell(waiting);
    return true;
  }

  /** The store takes too long: what can be told without it is, and what nobody can acknowledge is told that after a while. */
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
   * The store has these, so the journal need not. What a disk that hangs does not let go of is tried when it answers; what
   * stays behind all the same is replayed at the next start and found to be booked.
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

  /** Nobody waits for ever for a disk that does not answer, and until it does it gets nothing more to do. */
  #inTime(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const hanging = (): Error => new Error('the disk of the journal does not answer');
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

/** What a request is told whose charge nobody can acknowledge; its answer came to its end. */
function refuse(waiting: PendingCharge): void {
  const detail =
    'The answer is complete, but the gateway could not reach its database to make sure that it is paid for. It is charged once the database is back.';
  waiting.isSafe = true;
  waiting.failed(new ChargeError('overloaded', { detail, uncharged: 0n }));
}
