import { expect } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { type Balance, balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import type { Hold, HoldName } from '../../src/money/billing/wallet/hold.ts';
import type { Journal } from '../../src/money/billing/recovery/journal.ts';
import { type Wallet, type WalletParts, wallet } from '../../src/money/billing/wallet.ts';
import type { StoreChange, ChangeFeed } from '../../src/platform/cluster/change-feed.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { Machine } from '../simulator/machine.ts';
import { SharedStore } from '../simulator/shared-store.ts';
import { World } from '../simulator/world.ts';

/** Wallets of several processes in a world of the simulator. The test controls the time. */
export interface WalletStage {
  readonly clock: StageClock;
  readonly store: Store;
  readonly accountId: string;
  /** The lease recalls that the processes published. */
  readonly recalls: readonly string[];
  /** The invariant violations. */
  readonly violations: readonly unknown[];
  process(more?: Partial<WalletParts>): Promise<StagedProcess>;
  /** Freezes a process for 40 s, so that a peer reaps it, and then runs it for 10 s until it has noticed. */
  freezeUntilReaped(process: StagedProcess, meanwhile?: () => Promise<void>): Promise<void>;
  topUp(amount: bigint): Promise<void>;
  /** Publishes a change to all processes, and waits until they have received it. */
  publish(change: StoreChange): Promise<void>;
  balance(): Promise<Balance>;
  /** The booked losses of the operator. */
  losses(): Promise<bigint>;
  name(requestId: string, more?: Partial<HoldName>): HoldName;
  /** Holds money for a request. Time passes until the wallet has answered. */
  hold(wallet: Wallet, requestId: string, amount: bigint, more?: Partial<HoldName>): Promise<Hold>;
  /** Holds an amount for a request, and charges it. */
  spend(...request: Parameters<WalletStage['hold']>): Promise<void>;
  close(): Promise<void>;
  /** Closes the stage. Fails if an invariant or the ledger was violated. */
  end(): Promise<void>;
}

/** Between two timers, all promises that can settle do so. */
export interface StageClock extends Clock {
  advance(durationMs: number): Promise<void>;
  /** Advances the time until the promise settles, and returns the elapsed time. */
  until(promise: Promise<unknown>): Promise<number>;
}

export interface StagedProcess {
  readonly wallet: Wallet;
  /** Stops the process until `thaw()`. Time continues for the others. */
  freeze(): void;
  thaw(): void;
}

/** The delay of change events, as with a feed that polls. */
const feedDelayMs = 400;

/** One store, emptied for each stage, because creating its tables takes longer than most tests. */
let oneStore: Promise<SharedStore> | undefined;

export async function walletStage(): Promise<WalletStage> {
  const world = new World('wallets');
  const shared = await (oneStore ??= SharedStore.open());
  shared.enter(world, { latencyMs: 0, failureShare: 0, lostReplyShare: 0 });
  const observer = new Machine('onlooker', world);
  const clock: StageClock = {
    ...observer.clock,
    advance: (durationMs) => world.play(world.nowMs + durationMs),
    until: (promise) => world.until(promise),
  };
  const store = shared.open(observer);
  const { id: accountId } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
  await addKey(store, { id: 'key', accountId });
  const recalls: string[] = [];
  const violations: unknown[] = [];
  const listeners = new Set<Parameters<ChangeFeed['subscribe']>[0]>();
  const feed: WalletParts['feed'] = {
    publish: async (_db, topic, subject) => {
      recalls.push(subject);
      for (const listener of listeners) clock.after(feedDelayMs, () => listener([{ topic, subject }]));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  let ids = 0;
  const started: Wallet[] = [];
  const name = (requestId: string, more: Partial<HoldName> = {}): HoldName => {
    return { requestId, accountId, keyId: 'key', priceVersion: 'p_1', ...more };
  };
  const hold: WalletStage['hold'] = async (made, requestId, amount, more) => {
    const holding = (async () => made.hold(name(requestId, more), amount))();
    await clock.until(holding);
    return holding;
  };
  const close = async (): Promise<void> => {
    for (const each of started) await clock.until(each.stop());
  };
  return {
    clock,
    store,
    accountId,
    recalls,
    violations,
    async process(more = {}) {
      const machine = new Machine(`process ${started.length}`, world);
      const made = wallet({
        store: shared.open(machine),
        clock: machine.clock,
        feed,
        newId: () => `process-${(ids += 1)}`,
        journal: noJournal,
        onError: (error) => void (error instanceof InvariantViolation && violations.push(error)),
        ...more,
      });
      await made.start();
      started.push(made);
      return { wallet: made, freeze: () => machine.freeze(), thaw: () => machine.thaw() };
    },
    async freezeUntilReaped(process, meanwhile) {
      process.freeze();
      await clock.advance(40_000);
      await meanwhile?.();
      process.thaw();
      await clock.advance(10_000);
    },
    async topUp(amount) {
      const order = { accountId, amount, reference: `top-up ${(ids += 1)}`, by: 'op', reason: 'test' };
      await credits(store, clock).topUp(order);
    },
    async publish(change) {
      for (const listener of listeners) listener([change]);
      await clock.advance(feedDelayMs);
    },
    balance: () => balanceOf(store, accountId),
    async losses() {
      const rows = await store.db.selectFrom('entries').select('amount').where('account', '=', 'loss').execute();
      return rows.reduce((sum, { amount }) => sum - BigInt(amount), 0n);
    },
    name,
    hold,
    async spend(made, requestId, amount, more) {
      await clock.until((await hold(made, requestId, amount, more)).post(amount));
    },
    close,
    async end() {
      expect(violations).toEqual([]);
      expect((await verifyLedger(store)).checks.flatMap((check) => check.violations)).toEqual([]);
      await close();
    },
  };
}

/** A key that replaced no other key, unless `firstId` names the first. */
export async function addKey(
  store: Store,
  key: { readonly id: string; readonly accountId: string; readonly firstId?: string; readonly memberId?: string },
): Promise<void> {
  const { id, accountId, firstId = id, memberId = null } = key;
  const off = { honour_stream_false: 0, report_cost: 0, store_bodies: 0, temporary: 0 };
  const names = { name: 'laptop', digest: id, digest_secret: '', display: '', created_at: 0 };
  const row = { ...off, ...names, id, account_id: accountId, first_id: firstId, member_id: memberId };
  await store.db.insertInto('api_keys').values(row).execute();
}

const noJournal = (): Journal => ({
  bytes: 0,
  note: () => {},
  append: () => Promise.resolve(),
  sync: () => Promise.resolve(),
  taken: () => {},
  tidy: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
