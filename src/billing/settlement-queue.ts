import type { Clock } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import type { Store } from '../store/store.ts';
import type { Journal } from './journal.ts';
import { type Settlement, settle } from './settle.ts';

/** Charges on their way to the store, several in one commit. */
export interface SettlementQueue {
  /** Resolves when the charge is durable: in the store, or in the journal if the store takes too long. */
  push(settlement: Settlement): Promise<void>;
  /** Resolves when the store has everything. */
  flush(): Promise<void>;
  /** Whether the store does not have everything of an account yet. */
  owes(accountId: string): boolean;
  /** Neither the store nor the disk takes a charge: what is begun now might never be charged. */
  readonly isStuck: boolean;
}

export interface SettlementQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly onTrouble: (error: unknown) => void;
  readonly failpoint?: Failpoint | undefined;
  /** Hears what the store has taken. */
  readonly booked?: ((settlements: readonly Settlement[]) => void) | undefined;
}

/** How long a charge waits for company; a commit costs far more than a charge. */
const gatherMs = 4;
const batchMax = 200;
/** How long a client waits for the store before the journal has to do. */
const storePatienceMs = 2000;
const retryMaxMs = 2000;
/** While the store is away, newly finished requests go to disk this often. */
const journalEveryMs = 50;
/** A full disk stays full for a while. */
const diskRetryMs = 500;

interface Waiting {
  readonly settlement: Settlement;
  readonly safe: () => void;
  isSafe: boolean;
}

export function settlementQueue(options: SettlementQueueOptions): SettlementQueue {
  const { store, clock, journal, onTrouble, failpoint = noFailpoint, booked } = options;
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  let isStoreSlow = false;
  let isDiskFailing = false;

  function push(settlement: Settlement): Promise<void> {
    return new Promise((resolve) => {
      queue.push({ settlement, safe: resolve, isSafe: false });
      running ??= run();
    });
  }

  async function run(): Promise<void> {
    await delay(clock, gatherMs);
    while (queue.length > 0) await commit(queue.slice(0, batchMax));
    // What stays behind is replayed at the next start and found to be booked.
    await journal.clear().catch(onTrouble);
    running = undefined;
    if (queue.length > 0) running = run();
  }

  /** Tries until it works: a charge is never given up. */
  async function commit(batch: readonly Waiting[]): Promise<void> {
    const settlements = batch.map(({ settlement }) => settlement);
    const patience = clock.after(storePatienceMs, () => {
      isStoreSlow = true;
      void intoJournal();
    });
    for (let retryMs = 50; ; retryMs = Math.min(retryMs * 2, retryMaxMs)) {
      try {
        failpoint('ledger.settling');
        await store.transaction((tx) => settle(tx, settlements));
        failpoint('ledger.settled');
        break;
      } catch (error) {
        onTrouble(error);
        await delay(clock, retryMs);
      }
    }
    clock.cancel(patience);
    isStoreSlow = false;
    isDiskFailing = false;
    queue.splice(0, batch.length);
    booked?.(settlements);
    for (const { safe } of batch) safe();
  }

  /** Everything that waits goes to disk, and again whatever joined meanwhile, until the store answers. */
  async function intoJournal(): Promise<void> {
    const unsafe = queue.filter(({ isSafe }) => !isSafe);
    if (unsafe.length > 0) {
      try {
        await journal.append(unsafe.map(({ settlement }) => settlement));
        isDiskFailing = false;
        for (const waiting of unsafe) {
          waiting.isSafe = true;
          waiting.safe();
        }
      } catch (error) {
        isDiskFailing = isStoreSlow;
        onTrouble(error);
      }
    }
    const againMs = isDiskFailing ? diskRetryMs : journalEveryMs;
    if (isStoreSlow) clock.after(againMs, () => void intoJournal()).unref();
  }

  return {
    push,
    flush: async () => {
      for (let pending = running; pending; pending = running) await pending;
    },
    owes: (accountId) => queue.some(({ settlement }) => settlement.accountId === accountId),
    get isStuck() {
      return isDiskFailing;
    },
  };
}
