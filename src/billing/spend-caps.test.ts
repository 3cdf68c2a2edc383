import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeBetween } from '../../test/store-between.ts';
import { type WalletStage, walletStage } from '../../test/wallets.ts';
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

const spendCap = 100n;
const refused = { case: 'key-cap-reached' };

async function held(wallet: Wallet, requestId: string, amount: bigint, keyId = 'key'): Promise<Hold> {
  const asked = (async () => wallet.hold(stage.name(requestId, { spendCap, keyId }), amount))();
  await stage.clock.until(asked);
  return asked;
}

async function spent(wallet: Wallet, requestId: string, cost: bigint): Promise<void> {
  await stage.clock.until((await held(wallet, requestId, cost)).post(cost));
}

/** What a key can still spend at a process, by trying. */
async function left(wallet: Wallet): Promise<bigint> {
  for (let amount = spendCap; amount > 0n; amount -= 1n) {
    const hold = await held(wallet, 'probe', amount).catch(() => undefined);
    hold?.void();
    if (hold) return amount;
  }
  return 0n;
}

/** A store that keeps a list of what it is asked for. */
function listening(asked: string[]): WalletStage['store'] {
  return storeBetween(stage.store, (work) => {
    asked.push('a transaction');
    return work();
  });
}

test('what another process spends on the key counts a few seconds later', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  expect(await left(one.wallet)).toBe(100n);
  await spent(other.wallet, 'r', 30n);
  expect(await left(one.wallet)).toBe(100n);
  await stage.clock.pass(6000);
  expect(await left(one.wallet)).toBe(70n);
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
  const hold = wallet.hold(stage.name('warm', { spendCap }), 10n);
  expect(hold).not.toBeInstanceOf(Promise);
  expect(asked).toEqual([]);
  for (const each of [hold as Hold]) each.void();
});

test('a key that was not used for long is read before it counts', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  (await held(one.wallet, 'r', 1n)).void();
  await stage.clock.pass(120_000);
  await spent(other.wallet, 's', 100n);
  await expect(held(one.wallet, 't', 1n)).rejects.toMatchObject(refused);
});

test('keys that come at the same time are held to one cap, also when nobody knows them yet', async () => {
  const { wallet } = await stage.process();
  const asked = Array.from({ length: 5 }, async (_, index) => wallet.hold(stage.name(`r${index}`, { spendCap }), 40n));
  const outcomes = Promise.allSettled(asked);
  await stage.clock.until(outcomes);
  const granted = (await outcomes).filter(({ status }) => status === 'fulfilled');
  expect(granted).toHaveLength(2);
  for (const each of granted) (each as PromiseFulfilledResult<Hold>).value.void();
});
