import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { type StagedProcess, type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import type { Hold } from './hold.ts';

let stage: WalletStage;
let one: StagedProcess;
beforeEach(async () => {
  stage = await walletStage();
  one = await stage.process();
});
afterEach(() => stage.end());

const short = { case: 'insufficient-balance' };
const capped = { case: 'key-cap-reached' };

async function settled<Value>(promise: Value | Promise<Value>): Promise<Value> {
  const outcome = Promise.resolve(promise);
  await stage.clock.until(outcome.catch(() => undefined));
  return outcome;
}

const held = async (requestId: string, amount: bigint, spendCap?: bigint): Promise<Hold> =>
  settled(
    one.wallet.hold(
      stage.name(requestId, {
        limits: spendCap === undefined ? undefined : [{ scope: 'key', subjectId: 'key', amount: spendCap }],
      }),
      amount,
    ),
  );

test('a request may cost up to its widened hold, at the price it was answered for', async () => {
  await stage.topUp(100n);
  const hold = await held('r', 10n);
  await settled(hold.widen(60n));
  await settled(hold.widen(30n));
  expect(hold.amount).toBe(60n);
  await expect(held('other', 41n)).rejects.toMatchObject(short);
  hold.reprice('p_2');
  await settled(hold.post(55n));
  const charge = stage.store.db.selectFrom('transfers').select(['amount', 'price_version', 'held']);
  expect(await charge.where('reference', '=', 'r').execute()).toEqual([
    { amount: -55, price_version: 'p_2', held: 60 },
  ]);
  expect(await stage.losses()).toBe(0n);
  (await held('other', 45n)).void();
});

test('a hold that cannot be widened stays as it was', async () => {
  await stage.topUp(100n);
  const hold = await held('r', 10n);
  await expect(settled(hold.widen(101n))).rejects.toMatchObject(short);
  expect(hold.amount).toBe(10n);
  const other = await held('other', 90n);
  hold.void();
  (await held('third', 10n)).void();
  other.void();
});

test('a free request can become a paid one', async () => {
  await stage.topUp(10n);
  const hold = await held('free', 0n);
  await settled(hold.widen(10n));
  await expect(held('other', 1n)).rejects.toMatchObject(short);
  await settled(hold.post(4n));
  expect((await stage.balance()).toppedUp).toBe(6n);
});

test('a key spends at most its cap, however wide its holds grow', async () => {
  await stage.topUp(1000n);
  const hold = await held('r', 40n, 100n);
  await expect(settled(hold.widen(101n))).rejects.toMatchObject(capped);
  await settled(hold.widen(90n));
  await expect(held('beyond', 11n, 100n)).rejects.toMatchObject(capped);
  await settled(hold.post(70n));
  await expect(held('beyond', 31n, 100n)).rejects.toMatchObject(capped);
  (await held('within', 30n, 100n)).void();
});

test('a crashed request is charged at the price of its last checkpoint', async () => {
  await stage.topUp(100n);
  const hold = await held('r', 10n);
  let cost = 5n;
  hold.watch(() => cost);
  await stage.clock.advance(2000);
  await settled(hold.widen(50n));
  hold.reprice('p_2');
  cost = 30n;
  await stage.clock.advance(2000);
  one.freeze();
  await stage.process();
  await stage.clock.advance(45_000);
  const charge = stage.store.db.selectFrom('transfers').select(['amount', 'price_version', 'held']);
  expect(await charge.where('reference', '=', 'r').execute()).toEqual([
    { amount: -30, price_version: 'p_2', held: 50 },
  ]);
});

test('an expired process leases the widened amount again', async () => {
  await stage.topUp(100n);
  const hold = await held('r', 10n);
  await settled(hold.widen(60n));
  hold.whenLost(() => expect.unreachable());
  one.freeze();
  const other = await stage.process();
  await stage.clock.advance(40_000);
  one.thaw();
  await stage.clock.advance(10_000);
  expect(await stage.balance()).toMatchObject({ reserved: 60n });
  await expect(settled(other.wallet.hold(stage.name('other'), 41n))).rejects.toMatchObject(short);
  await settled(hold.post(60n));
  expect((await stage.balance()).toppedUp).toBe(40n);
});

test('a request that ends while its hold is being widened leaves nothing leased', async () => {
  await stage.topUp(100n);
  const hold = await held('r', 10n, 1000n);
  const wider = hold.widen(90n);
  hold.void();
  await expect(settled(wider)).rejects.toMatchObject({ case: 'overloaded' });
  (await held('all', 100n)).void();
  (await held('capped', 100n, 100n)).void();
});

test('a request that ends while it waits for money releases its share of the cap once', async () => {
  await stage.topUp(1000n);
  const hold = await held('r', 10n, 100n);
  const second = await held('second', 50n, 100n);
  const other = await stage.process();
  const elsewhere = await settled(other.wallet.hold(stage.name('elsewhere'), 940n));
  const wider = hold.widen(50n).catch((error: unknown) => error);
  await stage.clock.advance(100);
  hold.void();
  expect(await settled(wider)).toMatchObject(short);
  elsewhere.void();
  await expect(held('beyond', 51n, 100n)).rejects.toMatchObject(capped);
  (await held('within', 50n, 100n)).void();
  second.void();
});

const gone = new Error('the client left');
const client = new AbortController();
client.abort(gone);

test.each([
  ['an aborted request', { deadlineMs: Number.POSITIVE_INFINITY, signal: client.signal }, gone],
  ['a request past its deadline', { deadlineMs: 0 }, { case: 'overloaded' }],
])('%s stops waiting for a wider hold and leaves nothing leased', async (_who, deadline, error) => {
  await stage.topUp(100n);
  const hold = await held('r', 10n, 1000n);
  // The rest of the money is leased by a peer, which gets a recall and some time.
  const other = await stage.process();
  const elsewhere = await settled(other.wallet.hold(stage.name('elsewhere'), 90n));
  await expect(settled(hold.widen(90n, deadline))).rejects.toMatchObject(error);
  expect(hold.amount).toBe(10n);
  elsewhere.void();
  hold.void();
  (await held('all', 100n, 100n)).void();
});

/** Operations on requests of one account, in random order. */
const step = fc.record({
  request: fc.integer({ min: 0, max: 4 }),
  what: fc.constantFrom('hold', 'widen', 'post', 'void'),
  amount: fc.bigInt({ min: 0n, max: 60n }),
});

test('in any order of operations no request pays more than its hold, and no account more than its balance', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      run += 1;
      await stage.topUp(100n);
      const before = (await stage.balance()).toppedUp;
      const open = new Map<number, Hold>();
      let spent = 0n;
      const finish = async (request: number, cost: bigint): Promise<void> => {
        const hold = open.get(request);
        if (!hold) return;
        open.delete(request);
        const due = cost < hold.amount ? cost : hold.amount;
        spent += due;
        await settled(hold.post(due));
      };
      for (const [index, { request, what, amount }] of steps.entries()) {
        const hold = open.get(request);
        if (what === 'hold' && !hold) {
          const made = await held(`${run} ${index}`, amount).catch(() => undefined);
          if (made) open.set(request, made);
        } else if (what === 'widen') await settled(hold?.widen(amount)).catch(() => undefined);
        else if (what === 'post') await finish(request, amount);
        else if (what === 'void') await finish(request, 0n);
        const reserved = [...open.values()].reduce((sum, each) => sum + each.amount, 0n);
        expect(reserved + spent).toBeLessThanOrEqual(before);
      }
      for (const request of open.keys()) await finish(request, 60n);
      expect((await stage.balance()).toppedUp).toBe(before - spent);
      expect(await stage.losses()).toBe(0n);
      expect(one.wallet.holds).toBe(0);
    }),
    { numRuns: isDeep ? 40 : 15 },
  );
});
