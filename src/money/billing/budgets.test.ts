import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { addKey, type WalletStage, walletStage } from '../../../test/stores/wallets.ts';
import { calendarSpans, type Renewal } from '../../core/time/cap-period.ts';
import type { SpendLimit } from '../../core/caller.ts';
import type { Store } from '../../platform/store/store.ts';
import type { Hold } from './wallet/hold.ts';
import type { Wallet } from './wallet.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
});
afterEach(() => stage.end());

const amount = 100n;
/** The cap of a key that replaced no other key. */
const capOf = (keyId = 'key', renewal?: Renewal): readonly SpendLimit[] => [
  { scope: 'key', subjectId: keyId, amount, renewal },
];
const refused = { case: 'key-cap-reached' };

const holdMoney = (wallet: Wallet, requestId: string, sum: bigint, keyId = 'key'): Promise<Hold> =>
  stage.hold(wallet, requestId, sum, { limits: capOf(keyId), keyId });

const spend = (wallet: Wallet, requestId: string, cost: bigint): Promise<void> =>
  stage.spend(wallet, requestId, cost, { limits: capOf() });

/** Finds by trial how much a key can still spend at a process. */
async function spendable(wallet: Wallet): Promise<bigint> {
  let [possible, impossible] = [0n, amount + 1n];
  while (impossible - possible > 1n) {
    const sum = (possible + impossible) / 2n;
    const hold = await holdMoney(wallet, 'probe', sum).catch(() => undefined);
    hold?.void();
    if (hold) possible = sum;
    else impossible = sum;
  }
  return possible;
}

/** A store that records its transactions. */
function recordingStore(requested: string[]): WalletStage['store'] {
  return storeBetween(stage.store, (work) => {
    requested.push('a transaction');
    return work();
  });
}

test('spending by another process counts against the cap at once', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  expect(await spendable(one.wallet)).toBe(100n);
  await spend(other.wallet, 'r', 30n);
  expect(await spendable(one.wallet)).toBe(70n);
});

test('two processes together let a key spend exactly its cap', async () => {
  const processes = [await stage.process(), await stage.process()];
  const requested = Array.from({ length: 30 }, async (_, index) => {
    const { wallet } = processes[index % 2]!;
    const hold = await wallet.hold(stage.name(`r${index}`, { limits: capOf() }), 10n);
    await hold.post(10n);
  });
  const outcomes = Promise.allSettled(requested);
  await stage.clock.until(outcomes);
  const refusals = (await outcomes).filter(({ status }) => status === 'rejected');
  expect((await outcomes).length - refusals.length).toBe(10);
  for (const each of refusals) expect((each as PromiseRejectedResult).reason).toMatchObject(refused);
  const { spent: sum } = await stage.store.db.selectFrom('key_spend').select('spent').executeTakeFirstOrThrow();
  expect(Number(sum)).toBe(100);
});

test('the spend of a replaced key counts for its successor, and both together stay within the cap', async () => {
  const { wallet } = await stage.process();
  await addKey(stage.store, { id: 'first', accountId: stage.accountId });
  await addKey(stage.store, { id: 'second', accountId: stage.accountId, firstId: 'first' });
  const limits = capOf('first');
  const spendWith = (keyId: string, sum: bigint) => stage.spend(wallet, `${keyId}${sum}`, sum, { keyId, limits });
  await spendWith('first', 60n);
  await expect(spendWith('second', 41n)).rejects.toMatchObject(refused);
  await spendWith('second', 40n);
  await expect(spendWith('first', 1n)).rejects.toMatchObject(refused);
});

const daily: Renewal = { period: 'day', timeZone: 'Asia/Kolkata' };

/**
 * Lets time pass until this long before the next day of the zone, which begins within an hour of UTC. Without processes
 * there is no work to play in the hours before.
 */
async function advanceTo(beforeMidnightMs: number): Promise<void> {
  const { until } = calendarSpans()(daily, stage.clock.now());
  await stage.clock.advance(until - beforeMidnightMs - stage.clock.now());
}

const holdToday = (wallet: Wallet, requestId: string, sum: bigint): Promise<Hold> =>
  stage.hold(wallet, requestId, sum, { limits: capOf('key', daily) });

test('a cap renews at the end of its day, and every process charges a request to the day it began in', async () => {
  await advanceTo(10_000);
  const [one, other] = [await stage.process(), await stage.process()];
  const late = await holdToday(one.wallet, 'late', 60n);
  await expect(holdToday(other.wallet, 'too much', 41n)).rejects.toMatchObject(refused);
  const also = await holdToday(other.wallet, 'also', 40n);
  await stage.clock.advance(10_000);
  // The whole cap of the new day is available while requests of the old day run.
  const today = await holdToday(other.wallet, 'today', 100n);
  await expect(holdToday(one.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await stage.clock.until(Promise.all([late.post(60n), also.post(40n)]));
  await stage.clock.until(today.post(70n));
  await expect(holdToday(one.wallet, 'rest', 31n)).rejects.toMatchObject(refused);
  (await holdToday(one.wallet, 'rest', 30n)).void();
});

test('a reservation under another renewal period counts until it is spent or released', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const before = await holdMoney(one.wallet, 'before', 60n);
  await expect(holdToday(other.wallet, 'too much', 41n)).rejects.toMatchObject(refused);
  (await holdToday(other.wallet, 'fits', 40n)).void();
  before.void();
});

test('a request of an expired process is charged to the day it began in', async () => {
  await advanceTo(10_000);
  const [one, other] = [await stage.process(), await stage.process()];
  const doomed = await holdToday(one.wallet, 'doomed', 100n);
  doomed.watch(() => 80n);
  await stage.clock.advance(5000);
  one.freeze();
  await stage.clock.advance(60_000);
  const charge = stage.store.db.selectFrom('transfers').select('amount').where('reference', '=', 'doomed');
  expect(await charge.execute()).toEqual([{ amount: -80 }]);
  const today = await holdToday(other.wallet, 'today', 100n);
  today.void();
  one.thaw();
  doomed.void();
});

test('a lowered cap applies to new requests, even if more was leased before', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  (await holdMoney(one.wallet, 'r', 10n)).void();
  await stage.publish({ topic: 'key', subject: 'key' });
  const limits = [{ scope: 'key', subjectId: 'key', amount: 20n }] as const;
  const hold = await stage.hold(other.wallet, 's', 20n, { limits });
  await expect(holdMoney(one.wallet, 't', 81n)).rejects.toMatchObject(refused);
  hold.void();
});

test('a cost above the hold is charged and counts, and nothing stays leased', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const dear = await holdMoney(one.wallet, 'dear', 40n);
  await stage.clock.until(dear.post(90n));
  expect(await spendable(other.wallet)).toBe(10n);
  const last = await holdMoney(one.wallet, 'last', 10n);
  await stage.clock.until(last.post(30n));
  await expect(holdMoney(other.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await expect(holdMoney(one.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await stage.clock.advance(120_000);
  expect(await stage.store.db.selectFrom('budget_leases').selectAll().execute()).toEqual([]);
  expect(await stage.store.db.selectFrom('key_spend').select('spent').execute()).toMatchObject([{ spent: 120 }]);
});

test('a charge that is booked while the key’s spend is read is neither lost nor counted twice', async () => {
  const { wallet } = await stage.process();
  await spend(wallet, 'first', 10n);
  // The spend is read every few seconds, so these reads meet charges at every stage.
  for (let index = 0; index < 40; index += 1) {
    const hold = await holdMoney(wallet, `r${index}`, 2n);
    await stage.clock.advance(150 + index);
    const posted = hold.post(2n);
    await stage.clock.advance(index % 7);
    await stage.clock.until(posted);
    expect(await spendable(wallet)).toBe(90n - 2n * BigInt(index + 1));
  }
});

test('a hold for a warm key needs no store access', async () => {
  const requested: string[] = [];
  const { wallet } = await stage.process({ store: recordingStore(requested) });
  (await holdMoney(wallet, 'cold', 10n)).void();
  requested.length = 0;
  const hold = wallet.hold(stage.name('warm', { limits: capOf() }), 10n);
  expect(hold).not.toBeInstanceOf(Promise);
  expect(requested).toEqual([]);
  for (const each of [hold as Hold]) each.void();
});

test('spending by other processes counts after the key was idle here', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  (await holdMoney(one.wallet, 'r', 1n)).void();
  await stage.clock.advance(120_000);
  await spend(other.wallet, 's', 100n);
  await expect(holdMoney(one.wallet, 't', 1n)).rejects.toMatchObject(refused);
});

test('simultaneous first requests of a key stay within its cap', async () => {
  const { wallet } = await stage.process();
  const requested = Array.from({ length: 5 }, async (_, index) =>
    wallet.hold(stage.name(`r${index}`, { limits: capOf() }), 40n),
  );
  const outcomes = Promise.allSettled(requested);
  await stage.clock.until(outcomes);
  const granted = (await outcomes).filter(({ status }) => status === 'fulfilled');
  expect(granted).toHaveLength(2);
  for (const each of granted) (each as PromiseFulfilledResult<Hold>).value.void();
});

test('a request that waits for money while its process expires does not exceed the cap', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await other.wallet.hold(stage.name('all'), 1_000_000n);
  const deadline = { deadlineMs: Number.POSITIVE_INFINITY };
  const waiting = (async () => one.wallet.hold(stage.name('waiting', { limits: capOf() }), 60n, deadline))();
  await stage.clock.advance(100);
  await stage.freezeUntilReaped(one, async () => {
    elsewhere.void();
    await spend(other.wallet, 'spent', 60n);
  });
  let lost: unknown;
  (await waiting).whenLost((error) => (lost = error));
  expect(lost).toMatchObject(refused);
  (await waiting).void();
});

test('a running request that lost its share of the cap fails with the cap error', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const hold = await holdMoney(one.wallet, 'r', 60n);
  let lost: unknown;
  hold.whenLost((error) => (lost = error));
  await stage.freezeUntilReaped(one, () => spend(other.wallet, 'spent', 60n));
  expect(lost).toMatchObject(refused);
  hold.void();
});

test('a charge that was pending when its process expired counts against the cap once', async () => {
  const { promise: isThere, resolve: comeBack } = Promise.withResolvers<void>();
  const { store } = stage;
  const away: Store = {
    ...store,
    commitTogether: (job, input) => isThere.then(() => store.commitTogether(job, input)),
  };
  const [one, other] = [await stage.process({ store: away }), await stage.process()];
  const posted = (await holdMoney(one.wallet, 'r', 60n)).post(60n);
  await stage.freezeUntilReaped(one);
  comeBack();
  await stage.clock.until(posted);
  expect(await spendable(other.wallet)).toBe(40n);
});
