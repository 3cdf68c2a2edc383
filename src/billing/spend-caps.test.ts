import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../test/store-between.ts';
import { type WalletStage, walletStage } from '../../test/wallets.ts';
import { capSpans, type Renewal } from '../core/cap-period.ts';
import type { Store } from '../store/store.ts';
import type { Hold } from './hold.ts';
import type { Wallet } from './wallet.ts';
import { verifyLedger } from './verify.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
});
afterEach(async () => {
  expect(stage.broken).toEqual([]);
  expect((await verifyLedger(stage.store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  await stage.close();
});

const amount = 100n;
/** The cap of a key that never replaced another. */
const capOf = (keyId = 'key', renewal?: Renewal) => ({ amount, firstKeyId: keyId, renewal });
const refused = { case: 'key-cap-reached' };

async function held(wallet: Wallet, requestId: string, sum: bigint, keyId = 'key'): Promise<Hold> {
  const asked = (async () => wallet.hold(stage.name(requestId, { cap: capOf(keyId), keyId }), sum))();
  await stage.clock.until(asked);
  return asked;
}

async function spent(wallet: Wallet, requestId: string, cost: bigint): Promise<void> {
  await stage.clock.until((await held(wallet, requestId, cost)).post(cost));
}

/** What a key can still spend at a process, by trying. */
async function left(wallet: Wallet): Promise<bigint> {
  let [possible, impossible] = [0n, amount + 1n];
  while (impossible - possible > 1n) {
    const sum = (possible + impossible) / 2n;
    const hold = await held(wallet, 'probe', sum).catch(() => undefined);
    hold?.void();
    if (hold) possible = sum;
    else impossible = sum;
  }
  return possible;
}

/** A store that keeps a list of what it is asked for. */
function listening(asked: string[]): WalletStage['store'] {
  return storeBetween(stage.store, (work) => {
    asked.push('a transaction');
    return work();
  });
}

test('what another process spends on the key counts at once', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  expect(await left(one.wallet)).toBe(100n);
  await spent(other.wallet, 'r', 30n);
  expect(await left(one.wallet)).toBe(70n);
});

test('two processes together never let a key spend more than its cap, and let it spend all of it', async () => {
  const processes = [await stage.process(), await stage.process()];
  const asked = Array.from({ length: 30 }, async (_, index) => {
    const { wallet } = processes[index % 2]!;
    const hold = await wallet.hold(stage.name(`r${index}`, { cap: capOf() }), 10n);
    await hold.post(10n);
  });
  const outcomes = Promise.allSettled(asked);
  await stage.clock.until(outcomes);
  const refusals = (await outcomes).filter(({ status }) => status === 'rejected');
  expect((await outcomes).length - refusals.length).toBe(10);
  for (const each of refusals) expect((each as PromiseRejectedResult).reason).toMatchObject(refused);
  const { spent: sum } = await stage.store.db.selectFrom('key_spend').select('spent').executeTakeFirstOrThrow();
  expect(Number(sum)).toBe(100);
});

test('what a key that was replaced has spent counts for its successor, and both together stay below the cap', async () => {
  const { wallet } = await stage.process();
  const row = { account_id: stage.accountId, name: 'laptop', display: '', created_at: 0 };
  await stage.store.db
    .insertInto('api_keys')
    .values([
      { ...row, id: 'first', digest: '1' },
      { ...row, id: 'second', digest: '2', first_id: 'first', rolled_from: 'first' },
    ])
    .execute();
  const cap = { amount, firstKeyId: 'first' };
  const spend = async (keyId: string, sum: bigint) => {
    const asked = (async () => wallet.hold(stage.name(`${keyId}${sum}`, { keyId, cap }), sum))();
    await stage.clock.until(asked);
    await stage.clock.until((await asked).post(sum));
  };
  await spend('first', 60n);
  await expect(spend('second', 41n)).rejects.toMatchObject(refused);
  await spend('second', 40n);
  await expect(spend('first', 1n)).rejects.toMatchObject(refused);
});

const daily: Renewal = { period: 'day', timeZone: 'Asia/Kolkata' };

/**
 * So that the next day of the zone, which begins within an hour of UTC, is that far away. Without processes no hour before it
 * has anything to play.
 */
async function passTo(beforeMidnightMs: number): Promise<void> {
  const { until } = capSpans()(daily, stage.clock.now());
  await stage.clock.pass(until - beforeMidnightMs - stage.clock.now());
}

async function heldToday(wallet: Wallet, requestId: string, sum: bigint): Promise<Hold> {
  const asked = (async () => wallet.hold(stage.name(requestId, { cap: capOf('key', daily) }), sum))();
  await stage.clock.until(asked);
  return asked;
}

test('a cap renews at the end of its day, and who began before it is paid from the day before, by any process', async () => {
  await passTo(10_000);
  const [one, other] = [await stage.process(), await stage.process()];
  const late = await heldToday(one.wallet, 'late', 60n);
  await expect(heldToday(other.wallet, 'too much', 41n)).rejects.toMatchObject(refused);
  const also = await heldToday(other.wallet, 'also', 40n);
  await stage.clock.pass(10_000);
  // All of the new day can be spent while what was begun in the old one goes on.
  const today = await heldToday(other.wallet, 'today', 100n);
  await expect(heldToday(one.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await stage.clock.until(Promise.all([late.post(60n), also.post(40n)]));
  await stage.clock.until(today.post(70n));
  await expect(heldToday(one.wallet, 'rest', 31n)).rejects.toMatchObject(refused);
  (await heldToday(one.wallet, 'rest', 30n)).void();
});

test('what is set aside under other terms of the same cap counts until it is spent or back', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const before = await held(one.wallet, 'before', 60n);
  await expect(heldToday(other.wallet, 'too much', 41n)).rejects.toMatchObject(refused);
  (await heldToday(other.wallet, 'fits', 40n)).void();
  before.void();
});

test('what a dead process had begun is charged to the day in which it began', async () => {
  await passTo(10_000);
  const [one, other] = [await stage.process(), await stage.process()];
  const doomed = await heldToday(one.wallet, 'doomed', 100n);
  doomed.watch(() => 80n);
  await stage.clock.pass(5000);
  one.freeze();
  await stage.clock.pass(60_000);
  const charge = stage.store.db.selectFrom('transfers').select('amount').where('reference', '=', 'doomed');
  expect(await charge.execute()).toEqual([{ amount: -80 }]);
  const today = await heldToday(other.wallet, 'today', 100n);
  today.void();
  one.thaw();
  doomed.void();
});

test('a cap that was lowered counts for what is begun from then on, also where more was set aside before', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  (await held(one.wallet, 'r', 10n)).void();
  await stage.tell({ topic: 'key', subject: 'key' });
  const asked = (async () => other.wallet.hold(stage.name('s', { cap: { amount: 20n, firstKeyId: 'key' } }), 20n))();
  await stage.clock.until(asked);
  const hold = await asked;
  await expect(held(one.wallet, 't', 81n)).rejects.toMatchObject(refused);
  hold.void();
});

test('what a provider counts beyond what was held is charged and counts, and nothing stays set aside', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const dear = await held(one.wallet, 'dear', 40n);
  await stage.clock.until(dear.post(90n));
  expect(await left(other.wallet)).toBe(10n);
  const last = await held(one.wallet, 'last', 10n);
  await stage.clock.until(last.post(30n));
  await expect(held(other.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await expect(held(one.wallet, 'more', 1n)).rejects.toMatchObject(refused);
  await stage.clock.pass(120_000);
  expect(await stage.store.db.selectFrom('key_leases').selectAll().execute()).toEqual([]);
  expect(await stage.store.db.selectFrom('key_spend').select('spent').execute()).toMatchObject([{ spent: 120 }]);
});

test('a charge that lands while the key is read again is neither lost nor counted twice', async () => {
  const { wallet } = await stage.process();
  await spent(wallet, 'first', 10n);
  // Readings come every few seconds: over so long a time they meet charges at every stage of their way.
  for (let index = 0; index < 40; index += 1) {
    const hold = await held(wallet, `r${index}`, 2n);
    await stage.clock.pass(150 + index);
    const posted = hold.post(2n);
    await stage.clock.pass(index % 7);
    await stage.clock.until(posted);
    expect(await left(wallet)).toBe(90n - 2n * BigInt(index + 1));
  }
});

test('a warm key asks the store for nothing, whatever its history', async () => {
  const asked: string[] = [];
  const { wallet } = await stage.process({ store: listening(asked) });
  (await held(wallet, 'cold', 10n)).void();
  asked.length = 0;
  const hold = wallet.hold(stage.name('warm', { cap: capOf() }), 10n);
  expect(hold).not.toBeInstanceOf(Promise);
  expect(asked).toEqual([]);
  for (const each of [hold as Hold]) each.void();
});

test('what a key spends elsewhere while it is not used here counts', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  (await held(one.wallet, 'r', 1n)).void();
  await stage.clock.pass(120_000);
  await spent(other.wallet, 's', 100n);
  await expect(held(one.wallet, 't', 1n)).rejects.toMatchObject(refused);
});

test('keys that come at the same time are held to one cap, also when nobody knows them yet', async () => {
  const { wallet } = await stage.process();
  const asked = Array.from({ length: 5 }, async (_, index) =>
    wallet.hold(stage.name(`r${index}`, { cap: capOf() }), 40n),
  );
  const outcomes = Promise.allSettled(asked);
  await stage.clock.until(outcomes);
  const granted = (await outcomes).filter(({ status }) => status === 'fulfilled');
  expect(granted).toHaveLength(2);
  for (const each of granted) (each as PromiseFulfilledResult<Hold>).value.void();
});

test('who waits for money while its process is taken for dead does not spend what others have spent of the cap', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const elsewhere = await other.wallet.hold(stage.name('all'), 1_000_000n);
  const deadline = { deadlineMs: Number.POSITIVE_INFINITY };
  const waiting = (async () => one.wallet.hold(stage.name('waiting', { cap: capOf() }), 60n, deadline))();
  await stage.clock.pass(100);
  await stage.standStill(one, async () => {
    elsewhere.void();
    await spent(other.wallet, 'spent', 60n);
  });
  let lost: unknown;
  (await waiting).whenLost((error) => (lost = error));
  expect(lost).toMatchObject(refused);
  (await waiting).void();
});

test('a running request whose part of the cap is gone is told that it is the cap', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const hold = await held(one.wallet, 'r', 60n);
  let lost: unknown;
  hold.whenLost((error) => (lost = error));
  await stage.standStill(one, () => spent(other.wallet, 'spent', 60n));
  expect(lost).toMatchObject(refused);
  hold.void();
});

test('a charge that was on its way when its process was taken for dead takes its part of the cap once', async () => {
  const { promise: isThere, resolve: comeBack } = Promise.withResolvers<void>();
  const { store } = stage;
  const away: Store = {
    ...store,
    commitTogether: (job, input) => isThere.then(() => store.commitTogether(job, input)),
  };
  const [one, other] = [await stage.process({ store: away }), await stage.process()];
  const posted = (await held(one.wallet, 'r', 60n)).post(60n);
  await stage.standStill(one);
  comeBack();
  await stage.clock.until(posted);
  expect(await left(other.wallet)).toBe(40n);
});
