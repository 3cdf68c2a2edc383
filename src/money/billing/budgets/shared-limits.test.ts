import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { addKey } from '../../../../test/stores/wallets.ts';
import { accounts } from '../../accounts/accounts.ts';
import { type Limit, type LimitScope, memberSubject } from '../../../core/limit.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from '../ledger/credits.ts';
import { settleCharges } from '../settle.ts';
import { verifyLedger } from '../ledger/verify.ts';
import { registerProcess } from '../recovery/processes.ts';
import { budgetName, budgetsOfLimits } from './budget.ts';
import { adjustBudgetLease } from './budget-leases.ts';
import { setAccountLimits, setKeyMember, setOrganisation, setOrganisationLimits } from './limit-changes.ts';

forEachStore(({ open }) => {
  const at = Date.UTC(2026, 10, 18, 12, 30);
  const timeZone = 'Asia/Kolkata';
  let store: Store;
  let ids: readonly string[];

  beforeEach(async () => {
    store = await open();
    await registerProcess(store, 'p');
    await store.db
      .insertInto('organisations')
      .values({ id: 'org', name: 'org', source: 'store', created_at: 0 })
      .execute();
    const book = accounts(store, systemClock);
    ids = await Promise.all(
      ['ann', 'ben'].map(async (name) => {
        const { id } = await book.create({ name, packageName: 'standard' });
        const order = { accountId: id, amount: 1_000_000n, reference: name, by: 'op', reason: 'test' };
        await credits(store, systemClock).topUp(order);
        await addKey(store, { id: `key of ${name}`, accountId: id });
        await store.transaction(async (tx) => {
          await setOrganisation(tx, id, 'org');
          await setKeyMember(tx, `key of ${name}`, 'mia');
        });
        return id;
      }),
    );
    const limit: Limit = { amount: 1000n, period: 'day', notifyAt: ['0.5'] };
    await store.transaction((tx) => setOrganisationLimits(tx, 'org', [limit]));
    for (const id of ids) await store.transaction((tx) => setAccountLimits(tx, id, [limit]));
  });

  const [ann, ben] = ['ann', 'ben'] as const;
  const accountOf = (name: string) => ids[name === 'ann' ? 0 : 1] ?? '';
  const budgetOf = (scope: LimitScope, subjectId: string, accountId: string) => {
    const limits = [{ scope, subjectId, amount: 1000n, renewal: { period: 'day' as const, timeZone } }];
    return budgetsOfLimits()(accountId, limits, at).map(budgetName)[0] ?? '';
  };
  const lease = async (budget: string, amount: bigint): Promise<boolean> => {
    const wish = { leased: 0n, free: 0n, amounts: [amount], spare: 'keep' } as const;
    return (await store.commit(adjustBudgetLease, { at, processId: 'p', budget, wish }))?.isPaid[0] === true;
  };
  const charge = (name: string, requestId: string, cost: bigint) => {
    const terms = { processId: 'p', held: cost, priceVersion: 'v', by: 'gateway', reason: 'request', at } as const;
    return { ...terms, requestId, accountId: accountOf(name), keyId: `key of ${name}`, cost };
  };
  const settle = (...charges: readonly ReturnType<typeof charge>[]) => store.commit(settleCharges, charges);
  const violations = async () => (await verifyLedger(store)).checks.flatMap((check) => check.violations);

  test('the charges of a key count for its chain, its member, its account and its organisation', async () => {
    await settle(charge(ann, 'before', 100n));
    const budgets = [
      budgetOf('key', 'key of ann', accountOf(ann)),
      budgetOf('member', memberSubject(accountOf(ann), 'mia'), accountOf(ann)),
      budgetOf('account', accountOf(ann), accountOf(ann)),
      budgetOf('organisation', 'org', ''),
    ];
    for (const budget of budgets) expect(await lease(budget, 0n)).toBe(true);
    await settle(charge(ann, 'a', 300n), charge(ben, 'b', 200n));
    const spends = store.db.selectFrom('budget_spend').select(['scope', 'spent']).orderBy('scope');
    const spent = (await spends.execute()).map((row) => `${row.scope} ${row.spent}`);
    expect(spent).toEqual(['account 400', 'key 400', 'member 400', 'organisation 600']);
    expect(await violations()).toEqual([]);
  });

  test('charges of several accounts and leases of their organisation at the same time lose and exceed nothing', async () => {
    const budget = budgetOf('organisation', 'org', '');
    expect(await lease(budget, 0n)).toBe(true);
    const work = Array.from({ length: 10 }, (_, index) => [
      settle(charge(ann, `a${index}`, 30n), charge(ben, `b${index}`, 30n)),
      settle(charge(ben, `c${index}`, 20n)),
      lease(budget, 7n),
    ]);
    await Promise.all(work.flat());
    const { spent } = await store.db.selectFrom('budget_spend').select('spent').executeTakeFirstOrThrow();
    expect(Number(spent)).toBe(800);
    expect(await lease(budget, 300n)).toBe(false);
    expect(await violations()).toEqual([]);
  });
});
