import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { type Account, accounts } from '../accounts/accounts.ts';
import { balanceOf } from '../billing/wallet/balance.ts';
import { linesUnder } from '../billing/ledger/ledger-lines.ts';
import { verifyLedger } from '../billing/ledger/verify.ts';
import { systemClock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../platform/store/store.ts';
import { type BatchTerms, codesOf, findBatch, listBatches, makeBatch, withdrawRest } from './code-batches.ts';
import { redeemCode } from './redeem.ts';

const pepper = createSecretKey(Buffer.alloc(32, 3));

forEachStore(({ open }) => {
  let store: Store;
  let [ann, bob]: Account[] = [];
  const time = { at: 1_800_000_000_000 };
  const clock = { ...systemClock, now: () => time.at };
  const at = (here: Store) => ({ store: here, clock, pepper });
  const make = (terms: Partial<BatchTerms> = {}, count = 1) =>
    makeBatch(at(store), { note: 'spring', amount: 5_000_000_000n, kind: 'top_up', by: 'ops', count, ...terms });
  const redeem = (code: string, account = ann as Account, here = store, site = 'main') =>
    redeemCode(at(here), { code, account, site, by: `${account.name}@example.com` }).then(
      ({ amount }) => amount,
      (error: unknown) => (error instanceof GatewayError ? error.code : Promise.reject(error)),
    );
  const has = async ({ id } = ann as Account) => {
    const { granted, toppedUp } = await balanceOf(store, id);
    return [granted, toppedUp];
  };
  beforeEach(async () => {
    store = await open();
    const all = accounts(store, clock);
    ann = await all.create({ name: 'ann', packageName: 'standard' });
    bob = await all.create({ name: 'bob', packageName: 'pro' });
  });
  afterEach(async () => {
    expect((await verifyLedger(store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test('a code is credited once, under its own id, and records the account', async () => {
    const { batch, codes } = await make({}, 2);
    const [code = ''] = codes;
    expect(await redeem(code.toLowerCase().replaceAll('-', ' '))).toBe(5_000_000_000n);
    expect([await redeem(code), await redeem(code, bob)]).toEqual(['code_used_by_you', 'code_used']);
    expect([await has(), await has(bob)]).toEqual([
      [0n, 5_000_000_000n],
      [0n, 0n],
    ]);
    const [used, unused] = await codesOf(store, batch.id, { limit: 9 });
    expect(used).toMatchObject({ account_id: ann?.id, redeemed_by: 'ann@example.com', redeemed_at: time.at });
    expect(unused).toMatchObject({ account_id: null, redeemed_at: null });
    expect(await linesUnder(store, used?.id ?? '')).toMatchObject([{ kind: 'top_up', by: 'ann@example.com' }]);
    expect(await findBatch(store, batch.id)).toEqual({ ...batch, redeemed: 1 });
    expect((await listBatches(store, { limit: 9 })).map(({ redeemed }) => redeemed)).toEqual([1]);
  });

  test('of several simultaneous redemptions at two gateways, one is credited', async () => {
    const { codes } = await make({ kind: 'grant' });
    const elsewhere = await open();
    const tries = Array.from({ length: 8 }, (_, index) =>
      redeem(codes[0] ?? '', index % 3 ? ann : bob, index % 2 ? store : elsewhere),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((each) => each === 5_000_000_000n)).toHaveLength(1);
    expect(outcomes.filter((each) => typeof each === 'string' && each.startsWith('code_used'))).toHaveLength(7);
    const sums = [await has(ann), await has(bob)].flat();
    expect(sums.reduce((sum, each) => sum + each, 0n)).toBe(5_000_000_000n);
  });

  test('a code that is withdrawn during its redemption is either withdrawn or redeemed', async () => {
    const { batch, codes } = await make({}, 6);
    const elsewhere = await open();
    const [withdrawn, ...outcomes] = await Promise.all([
      withdrawRest(elsewhere, clock, batch.id),
      ...codes.map((code) => redeem(code)),
    ]);
    const paid = outcomes.filter((each) => each === 5_000_000_000n).length;
    expect(withdrawn).toBe(6 - paid);
    expect(outcomes.filter((each) => each === 'code_withdrawn')).toHaveLength(6 - paid);
    expect(await findBatch(store, batch.id)).toMatchObject({ redeemed: paid, withdrawn: 6 - paid });
    expect((await has())[1]).toBe(BigInt(paid) * 5_000_000_000n);
  });

  test('a code that is expired, or for another site or package, is refused with its own error and stays valid', async () => {
    const [code = ''] = (await make({ site: 'shop', packageName: 'pro', expiresAt: time.at + 1000 })).codes;
    expect(await redeem(code)).toBe('code_elsewhere');
    expect(await redeem(code, ann, store, 'shop')).toBe('code_other_package');
    expect(await redeem(code, { ...(bob as Account), status: 'suspended' }, store, 'shop')).toBe('code_suspended');
    time.at += 1000;
    expect(await redeem(code, bob, store, 'shop')).toBe('code_expired');
    time.at -= 1;
    expect(await redeem(code, bob, store, 'shop')).toBe(5_000_000_000n);
    expect(await redeem(`${code}0`)).toBe('code_mistyped');
    expect(await redeem('0000-0000-0000-0000-0000')).toBe('code_unknown');
  });
});
