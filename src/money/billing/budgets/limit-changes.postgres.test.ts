import { beforeEach, expect, test } from 'vitest';
import { gate } from '../../../../test/fakes/fake-replies.ts';
import { lockWaits } from '../../../../test/stores/lock-waits.ts';
import { testStores } from '../../../../test/stores/stores.ts';
import { accounts } from '../../accounts/accounts.ts';
import type { AccountId, OrganisationId } from '../../accounts/ids.ts';
import { organisations } from '../../accounts/organisations.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from '../ledger/credits.ts';
import { lockAccounts } from '../ledger/locked-accounts.ts';
import { lockOrganisationsOf, setOrganisation, setOrganisationLimits } from './limit-changes.ts';

const { open } = testStores('postgres');
let store: Store;
let [ann, ben]: readonly AccountId[] = [];
let org: OrganisationId;
beforeEach(async () => {
  store = await open();
  const made = await organisations(store, systemClock).create({ name: 'org' });
  org = made.id;
  [ann, ben] = await Promise.all(
    ['ann', 'ben'].map(async (name) => {
      const { id } = await accounts(store, systemClock).create({ name, packageName: 'standard' });
      const order = { accountId: id, amount: 1n, reference: name, by: 'op', reason: 'test' };
      await credits(store, systemClock).topUp(order);
      return id;
    }),
  );
});

async function waiting(count: number): Promise<void> {
  await expect.poll(() => lockWaits(store), { message: 'transactions that wait for a lock' }).toBe(count);
}

/** Runs work in a transaction, and counts how often: PostgreSQL ends one of two that wait for each other, and it runs again. */
function counted(work: (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) => Promise<unknown>) {
  const runs = { count: 0, over: Promise.resolve() };
  runs.over = store.transaction(async (tx) => {
    runs.count += 1;
    await work(tx);
  });
  return runs;
}

test('limits of an organisation and a charge of an account that joins it do not wait for each other', async () => {
  await store.transaction((tx) => setOrganisation(tx, ann!, org));
  const [held, charging, isHeld] = [gate(), gate(), gate()];
  const holder = counted(async (tx) => {
    await lockAccounts(tx, [ann!]);
    isHeld.open();
    await held.opened;
  });
  await isHeld.opened;
  const limits = counted((tx) => setOrganisationLimits(tx, org, [{ amount: 5n, period: 'day', notifyAt: [] }]));
  await waiting(1);
  await store.transaction((tx) => setOrganisation(tx, ben!, org));
  const isLocked = gate();
  const charge = counted(async (tx) => {
    await lockAccounts(tx, [ben!]);
    isLocked.open();
    await charging.opened;
    await lockOrganisationsOf(tx, [ben!]);
  });
  await isLocked.opened;
  held.open();
  await holder.over;
  // The limits wait for the balance that the charge has.
  await waiting(1);
  charging.open();
  await Promise.all([limits.over, charge.over]);
  expect([limits.count, charge.count]).toEqual([1, 1]);
});

test('the configuration file locks all balances in order of id before it locks an organisation', async () => {
  let changes = 0;
  const now = (): number => {
    changes += 1;
    return systemClock.now();
  };
  const book = accounts(store, { ...systemClock, now });
  const limits = (amount: bigint) => [{ amount, period: 'day' as const, notifyAt: [] }];
  const specs = ['cyd', 'dan'].map((name) => ({ name, package: 'standard' }));
  await book.ensure(specs);
  const made = await Promise.all(specs.map(async ({ name }) => (await book.find(name))!));
  for (const { id: accountId } of made) {
    const order = { accountId, amount: 1n, reference: accountId, by: 'op', reason: 'test' };
    await credits(store, systemClock).topUp(order);
  }
  const [low, high] = made.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const file = (amount: bigint) =>
    book.ensure(
      [
        { name: low!.name, package: 'standard', limits: limits(amount) },
        { name: high!.name, package: 'standard', organisation: 'filed' },
      ],
      [{ name: 'filed', limits: limits(amount) }],
    );
  await file(5n);
  const [charging, isLocked] = [gate(), gate()];
  const charge = counted(async (tx) => {
    await lockAccounts(tx, [low!.id]);
    isLocked.open();
    await charging.opened;
    await lockAccounts(tx, [high!.id]);
    await lockOrganisationsOf(tx, [high!.id]);
  });
  await isLocked.opened;
  changes = 0;
  const applied = file(7n);
  await waiting(1);
  charging.open();
  await Promise.all([applied, charge.over]);
  // Only one account changes. PostgreSQL ended neither transaction, so each ran once.
  expect([charge.count, changes]).toEqual([1, 1]);
});

test('an account that joins while its organisation is removed is refused', async () => {
  const held = gate();
  const isLocked = gate();
  const holder = counted(async (tx) => {
    await tx.selectFrom('organisations').select('id').where('id', '=', org).forUpdate().execute();
    isLocked.open();
    await held.opened;
  });
  await isLocked.opened;
  const removed = organisations(store, systemClock).remove(org);
  await waiting(1);
  const joined = accounts(store, systemClock).change(ben!, { organisationId: org });
  const created = accounts(store, systemClock).create({ name: 'new', packageName: 'standard', organisationId: org });
  const refusals = Promise.allSettled([joined, created]);
  await waiting(3);
  held.open();
  await holder.over;
  expect(await removed).toBe(0);
  const refused = { status: 'rejected', reason: { case: 'conflict' } };
  expect(await refusals).toMatchObject([refused, refused]);
});

test('an organisation that an account joins meanwhile is not removed', async () => {
  const isJoined = gate();
  const goesOn = gate();
  const joining = counted(async (tx) => {
    await setOrganisation(tx, ben!, org);
    isJoined.open();
    await goesOn.opened;
  });
  await isJoined.opened;
  const removed = organisations(store, systemClock).remove(org);
  await waiting(1);
  goesOn.open();
  await joining.over;
  expect(await removed).toBe(1);
});
