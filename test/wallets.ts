import { accounts } from '../src/accounts/accounts.ts';
import { type Balance, balanceOf } from '../src/billing/balance.ts';
import { credits } from '../src/billing/credits.ts';
import type { HoldName } from '../src/billing/hold.ts';
import type { Journal } from '../src/billing/journal.ts';
import { type Wallet, type WalletParts, wallet } from '../src/billing/wallet.ts';
import type { ChangeFeed } from '../src/cluster/change-feed.ts';
import { BrokenRule } from '../src/core/assert.ts';
import { memoryDatabase } from '../src/store/memory.ts';
import type { Store } from '../src/store/store.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** Several processes' wallets on one store in memory, on a clock of the test's. */
export interface WalletStage {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly accountId: string;
  /** What the processes told each other to give back. */
  readonly recalls: readonly string[];
  /** Rules of our own that were broken. */
  readonly broken: readonly unknown[];
  process(more?: Partial<WalletParts>): Promise<StagedProcess>;
  topUp(amount: bigint): Promise<void>;
  balance(): Promise<Balance>;
  /** What the operator lost. */
  losses(): Promise<bigint>;
  name(requestId: string, more?: Partial<HoldName>): HoldName;
  close(): Promise<void>;
}

export interface StagedProcess {
  readonly wallet: Wallet;
  /** From now on it does nothing, until it is told to go on. Time goes on for the others. */
  freeze(): void;
  thaw(): void;
}

/** News take so long, as with a feed that polls. */
const newsMs = 400;

export async function walletStage(): Promise<WalletStage> {
  const clock = virtualClock();
  const database = await memoryDatabase(clock.now);
  const store = database.open();
  const { id: accountId } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
  const recalls: string[] = [];
  const broken: unknown[] = [];
  const listeners = new Set<Parameters<ChangeFeed['subscribe']>[0]>();
  const feed: WalletParts['feed'] = {
    publish: async (_db, topic, subject) => {
      recalls.push(subject);
      for (const listener of listeners) clock.after(newsMs, () => listener([{ topic, subject }]));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  let ids = 0;
  const started: Wallet[] = [];
  return {
    clock,
    store,
    accountId,
    recalls,
    broken,
    async process(more = {}) {
      const freezable = freezableClock(clock);
      const made = wallet({
        store: database.open(),
        clock: freezable.clock,
        feed,
        newId: () => `process-${(ids += 1)}`,
        journal: noJournal,
        onTrouble: (error) => void (error instanceof BrokenRule && broken.push(error)),
        ...more,
      });
      await made.start();
      started.push(made);
      return { wallet: made, freeze: freezable.freeze, thaw: freezable.thaw };
    },
    async topUp(amount) {
      const order = { accountId, amount, reference: `top-up ${(ids += 1)}`, by: 'op', reason: 'test' };
      await credits(store, clock).topUp(order);
    },
    balance: () => balanceOf(store, accountId),
    async losses() {
      const rows = await store.db.selectFrom('entries').select('amount').where('account', '=', 'loss').execute();
      return rows.reduce((sum, { amount }) => sum - BigInt(amount), 0n);
    },
    name: (requestId, more = {}) => ({ requestId, accountId, keyId: 'key', priceVersion: 'p_1', ...more }),
    async close() {
      for (const each of started) await clock.until(each.stop());
      database.close();
    },
  };
}

const noJournal = (): Journal => ({
  note: () => {},
  append: () => Promise.resolve(),
  taken: () => Promise.resolve(),
  close: () => Promise.resolve(),
});

/** A process that stands still: what it waits for comes when it goes on, and the time that passed has passed. */
function freezableClock(clock: VirtualClock) {
  let backlog: (() => void)[] | undefined;
  const after: VirtualClock['after'] = (delayMs, work) =>
    clock.after(delayMs, () => {
      if (backlog) backlog.push(work);
      else work();
    });
  return {
    clock: { now: clock.now, elapsed: clock.elapsed, after, cancel: clock.cancel },
    freeze: () => void (backlog ??= []),
    thaw() {
      const missed = backlog ?? [];
      backlog = undefined;
      for (const work of missed) work();
    },
  };
}
