import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { type WalletStage, walletStage } from '../../../test/stores/wallets.ts';
import type { Hold } from './wallet/hold.ts';
import type { Wallet } from './wallet.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
});
afterEach(() => stage.end());

const refused = { case: 'insufficient-balance' };
const noTokens = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const lostLine = { batchId: 'batch', line: 1, state: 'succeeded', status: 200, ...noTokens } as const;

/** Starts a hold and collects its result and duration while time passes. */
function startHold(wallet: Wallet, requestId: string, amount: bigint, deadline?: Parameters<Wallet['hold']>[2]) {
  const outcome: { hold?: Hold; error?: unknown; afterMs?: number } = {};
  const since = stage.clock.elapsed();
  const over = (): void => void (outcome.afterMs = stage.clock.elapsed() - since);
  Promise.resolve(wallet.hold(stage.name(requestId), amount, deadline)).then(
    (hold) => {
      outcome.hold = hold;
      over();
    },
    (error: unknown) => {
      outcome.error = error;
      over();
    },
  );
  return outcome;
}

test('a waiting request is paid from money freed here together with the available balance', async () => {
  await stage.topUp(200n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const running = await stage.hold(one.wallet, 'running', 50n);
  const large = startHold(one.wallet, 'large', 100n);
  await stage.clock.advance(500);
  running.void();
  await stage.clock.advance(300);
  expect(large.hold).toBeDefined();
  large.hold?.void();
  elsewhere.void();
});

test('a request is refused only if it cannot be paid, not because it is first in the queue', async () => {
  await stage.topUp(250n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const running = await stage.hold(one.wallet, 'running', 100n);
  const large = startHold(one.wallet, 'large', 100n);
  await stage.clock.advance(500);
  const small = startHold(one.wallet, 'small', 55n);
  running.void();
  await stage.clock.advance(3000);
  expect([large.error, small.error]).toEqual([undefined, undefined]);
  for (const hold of [large.hold, small.hold, elsewhere]) hold?.void();
});

test('unpayable requests are refused together after one recall, and a payable request does not wait for them', async () => {
  await stage.topUp(100n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const poor = Array.from({ length: 15 }, (_, index) => startHold(one.wallet, `poor-${index}`, 50n));
  await stage.clock.advance(200);
  const cheap = startHold(one.wallet, 'cheap', 5n);
  await stage.clock.advance(5000);
  for (const each of poor) expect(each.error).toMatchObject(refused);
  const times = poor.map(({ afterMs }) => afterMs);
  expect(new Set(times).size).toBe(1);
  expect(times[0]).toBeLessThan(2000);
  expect(cheap.afterMs).toBeLessThan(200);
  expect(stage.recalls).toHaveLength(1);
  cheap.hold?.void();
  elsewhere.void();
});

test('a request that arrives during a recall is refused after at most one more recall', async () => {
  await stage.topUp(100n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const first = startHold(one.wallet, 'first', 50n);
  await stage.clock.advance(1000);
  const second = startHold(one.wallet, 'second', 50n);
  await stage.clock.advance(5000);
  for (const each of [first, second]) expect(each).toMatchObject({ error: refused });
  expect(second.afterMs).toBeLessThan(2200);
  elsewhere.void();
});

test('an amount above the funds of all processes is refused at once', async () => {
  await stage.topUp(100n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const much = startHold(one.wallet, 'much', 101n);
  await stage.clock.advance(50);
  expect(much).toMatchObject({ error: refused });
  expect(stage.recalls).toEqual([]);
  elsewhere.void();
});

test('two processes that each have a part do not both refuse a request that one could pay', async () => {
  await stage.topUp(88n);
  const [one, other] = [await stage.process(), await stage.process()];
  for (const { wallet } of [one, other]) (await stage.hold(wallet, 'before', 40n)).void();
  const both = [startHold(one.wallet, 'one', 50n), startHold(other.wallet, 'other', 50n)];
  await stage.clock.advance(5000);
  expect(both.filter(({ hold }) => hold)).toHaveLength(1);
  expect(both.filter(({ error }) => error)).toHaveLength(1);
  for (const { hold } of both) hold?.void();
});

test('money that becomes free in a peer during a recall is returned too', async () => {
  await stage.topUp(100n);
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await stage.hold(other.wallet, 'elsewhere', 90n);
  const waiting = startHold(one.wallet, 'waiting', 50n);
  await stage.clock.advance(1000);
  elsewhere.void();
  await stage.clock.advance(400);
  expect(waiting.hold).toBeDefined();
  waiting.hold?.void();
});

test('if the store does not respond, each request waits until its deadline and no longer', async () => {
  await stage.topUp(100n);
  let isAway = false;
  const store = storeBetween(stage.store, (work) => (isAway ? Promise.reject(new Error('away')) : work()));
  const { wallet } = await stage.process({ store });
  isAway = true;
  const first = startHold(wallet, 'first', 5n);
  await stage.clock.advance(5000);
  const second = startHold(wallet, 'second', 5n);
  await stage.clock.advance(5500);
  expect(first).toMatchObject({ error: { case: 'overloaded' } });
  expect(second.error).toBeUndefined();
  isAway = false;
  await stage.clock.advance(500);
  expect(second.hold).toBeDefined();
  second.hold?.void();
});

test('a lease whose reply was lost is found and not leased twice', async () => {
  await stage.topUp(100n);
  let isReplyLost = false;
  const store = storeBetween(stage.store, async (work) => {
    const result = await work();
    if (isReplyLost) throw new Error('the reply was lost');
    return result;
  });
  const { wallet } = await stage.process({ store });
  isReplyLost = true;
  const lost = startHold(wallet, 'lost', 60n);
  await stage.clock.advance(300);
  expect((await stage.balance()).reserved).toBe(60n);
  isReplyLost = false;
  await stage.clock.advance(200);
  expect(lost.hold).toBeDefined();
  expect((await stage.balance()).reserved).toBe(60n);
  lost.hold?.void();
});

test('money hidden by a pending charge is returned in the end', async () => {
  await stage.topUp(100n);
  let isReplyLost = false;
  const store = storeBetween(stage.store, async (work) => {
    const result = await work();
    if (isReplyLost) throw new Error('the reply was lost');
    return result;
  });
  const { wallet } = await stage.process({ store });
  const hold = await stage.hold(wallet, 'r', 40n);
  const other = startHold(wallet, 'other', 50n);
  isReplyLost = true;
  const posted = hold.post(15n);
  await stage.clock.advance(300);
  isReplyLost = false;
  await stage.clock.until(posted);
  await stage.clock.advance(500);
  other.hold?.void();
  await stage.clock.advance(40_000);
  expect(await stage.balance()).toMatchObject({ toppedUp: 85n, reserved: 0n });
});

test('a peer gets the money that a request spent on a line that another request has taken over', async () => {
  await stage.topUp(100n);
  const [one, other] = [await stage.process(), await stage.process()];
  const limits = [{ scope: 'key', subjectId: 'key', amount: 100n }] as const;
  const hold = Promise.resolve(one.wallet.hold(stage.name('lost', { limits }), 60n));
  await stage.clock.until(hold);
  // No line has this request any more.
  await stage.clock.until((await hold).post(60n, 'request', lostLine));
  const all = Promise.resolve(other.wallet.hold(stage.name('all', { limits }), 100n));
  await stage.clock.until(all);
  (await all).void();
  expect((await stage.balance()).toppedUp).toBe(100n);
});

test('the wallet reports a problem while no charge can be saved, and clears it afterwards', async () => {
  await stage.topUp(100n);
  let isAway = false;
  const away = () => Promise.reject(new Error('no space left on device'));
  const store = storeBetween(stage.store, (work) => (isAway ? away() : work()));
  const note = () => {
    throw new Error('no space left on device');
  };
  const done = () => Promise.resolve();
  const journal = () => ({ bytes: 0, note, sync: away, append: away, taken: () => {}, tidy: done, close: done });
  const { wallet } = await stage.process({ store, journal });
  expect(wallet.problem).toBeUndefined();
  const hold = await stage.hold(wallet, 'r', 5n);
  isAway = true;
  const posted = hold.post(5n);
  await stage.clock.advance(2500);
  expect(wallet.problem).toContain('neither in the store nor on the disk');
  expect(() => wallet.hold(stage.name('new'), 5n)).toThrow(expect.objectContaining({ case: 'overloaded' }));
  isAway = false;
  await stage.clock.until(posted);
  expect(wallet.problem).toBeUndefined();
});

test('the wallet reports a problem if only its heartbeats fail', async () => {
  const { wallet, freeze, thaw } = await stage.process();
  freeze();
  await stage.clock.advance(9000);
  expect([wallet.problem, wallet.note]).toEqual([undefined, expect.stringContaining('existing leases')]);
  await stage.clock.advance(10_000);
  expect([wallet.problem, wallet.note]).toEqual([undefined, expect.stringContaining('paid requests wait')]);
  await stage.clock.advance(12_000);
  expect(wallet.problem).toContain('cannot be leased from the store');
  thaw();
  await stage.clock.advance(100);
  expect([wallet.problem, wallet.note]).toEqual([undefined, undefined]);
});

/** A store that can be unreachable, and counts the attempts during that time. */
function unreliableStore() {
  const state = { isAway: false, failures: 0 };
  const store = storeBetween(stage.store, (work) => {
    if (!state.isAway) return work();
    state.failures += 1;
    return Promise.reject(new Error('away'));
  });
  return { state, store };
}

test('if the store returns before the deadline, waiting requests are granted', async () => {
  await stage.topUp(100n);
  const { state, store } = unreliableStore();
  const { wallet } = await stage.process({ store });
  state.isAway = true;
  const deadlineMs = stage.clock.elapsed() + 600_000;
  const waiting = ['a', 'b', 'c'].map((name) => startHold(wallet, name, 5n, { deadlineMs }));
  await stage.clock.advance(120_000);
  expect(waiting).toEqual([{}, {}, {}]);
  state.isAway = false;
  await stage.clock.advance(5000);
  for (const { hold } of waiting) {
    expect(hold).toBeDefined();
    hold?.void();
  }
});

test('an aborted request stops waiting at once while the store is away, and a deadline is exact', async () => {
  await stage.topUp(100n);
  const { state, store } = unreliableStore();
  const { wallet } = await stage.process({ store });
  state.isAway = true;
  const leaving = new AbortController();
  const [reason, deadlineMs] = [new Error('the client left'), stage.clock.elapsed() + 60_000];
  const left = startHold(wallet, 'left', 5n, { deadlineMs, signal: leaving.signal });
  const late = startHold(wallet, 'late', 5n, { deadlineMs });
  await stage.clock.advance(1000);
  leaving.abort(reason);
  await stage.clock.advance(1);
  expect(left).toMatchObject({ error: reason });
  await stage.clock.advance(60_000);
  expect(late).toMatchObject({ error: { case: 'overloaded' }, afterMs: 60_000 });
  state.isAway = false;
  await stage.clock.advance(5000);
  expect((await stage.balance()).reserved).toBe(0n);
});

/** Holds and posts one request after another. Returns how many of them had to wait for the store. */
async function spendFast(wallet: Wallet, requests: number): Promise<number> {
  let waits = 0;
  for (let index = 0; index < requests; index += 1) {
    const atHand = wallet.holdNow(stage.name(`fast-${index}`), 10n);
    if (!atHand) waits += 1;
    const hold = atHand ?? (await stage.hold(wallet, `fast-${index}`, 10n));
    await stage.clock.until(hold.post(5n));
  }
  return waits;
}

test('an account that spends fast gets leases ahead of need', async () => {
  await stage.topUp(100_000n);
  const { wallet } = await stage.process();
  expect(await spendFast(wallet, 200)).toBeLessThan(5);
  await stage.clock.advance(60_000);
  expect(await stage.balance()).toMatchObject({ toppedUp: 99_000n, reserved: 0n });
});

test('money leased ahead of need goes to a peer that needs it', async () => {
  await stage.topUp(2000n);
  const [one, other] = [await stage.process(), await stage.process()];
  await spendFast(one.wallet, 100);
  expect((await stage.balance()).reserved).toBeGreaterThan(100n);
  const much = startHold(other.wallet, 'much', 1450n);
  await stage.clock.advance(2000);
  expect(much.hold).toBeDefined();
  much.hold?.void();
});
