import { afterEach, beforeEach, expect, test } from 'vitest';
import { addKey, type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import { accounts } from '../../accounts/accounts.ts';
import type { SpendLimit } from '../../../core/caller.ts';
import { type Limit, memberSubject } from '../../../core/limit.ts';
import { credits } from '../ledger/credits.ts';
import type { Wallet } from '../wallet.ts';
import { setKeyMember, setMemberLimits, setOrganisation, setOrganisationLimits } from './limit-changes.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
});
afterEach(() => stage.end());

const spend = (
  wallet: Wallet,
  amount: bigint,
  name: Parameters<WalletStage['name']>[1] & { readonly requestId: string },
): Promise<void> => stage.spend(wallet, name.requestId, amount, name);

async function events(): Promise<readonly Readonly<Record<string, string | null>>[]> {
  const rows = stage.store.db.selectFrom('events').select(['account_id', 'data']).where('kind', '=', 'limit.threshold');
  return (await rows.execute()).map((row) => {
    return { accountId: row.account_id, ...(JSON.parse(row.data) as Readonly<Record<string, string | null>>) };
  });
}

const daily = { period: 'day', timeZone: 'UTC' } as const;
const limitOf = (amount: bigint, period: Limit['period'], notifyAt: readonly string[]): Limit => {
  return { amount, period, notifyAt };
};

test('two processes that spend for a member record each threshold once, and again in the next day', async () => {
  const { accountId } = stage;
  const user = { id: 'mia', name: 'Mia', email: 'mia@example.com', email_verified: 1, created_at: '', updated_at: '' };
  await stage.store.db.insertInto('console_users').values(user).execute();
  const member = { account_id: accountId, user_id: 'mia', role: 'member' as const, created_at: 0 };
  await stage.store.db.insertInto('console_members').values(member).execute();
  await stage.store.transaction(async (tx) => {
    await setKeyMember(tx, 'key', 'mia');
    await setMemberLimits(tx, { accountId, userId: 'mia' }, [limitOf(100n, 'day', ['0.5', '0.8'])]);
  });
  const subjectId = memberSubject(accountId, 'mia');
  const limits: readonly SpendLimit[] = [{ scope: 'member', subjectId, amount: 100n, renewal: daily }];
  const [one, other] = [await stage.process(), await stage.process()];
  await spend(one.wallet, 30n, { requestId: 'a', limits });
  expect(await events()).toEqual([]);
  await Promise.all([
    spend(one.wallet, 25n, { requestId: 'b', limits }),
    spend(other.wallet, 25n, { requestId: 'c', limits }),
  ]);
  expect(await events()).toMatchObject([
    { accountId, scope: 'member', name: 'Mia', period: 'day', share: '0.5', percent: '50' },
    { accountId, scope: 'member', name: 'Mia', period: 'day', share: '0.8', percent: '80', spent: '0.00000008' },
  ]);
  await spend(other.wallet, 20n, { requestId: 'd', limits });
  expect(await events()).toHaveLength(2);

  one.freeze();
  other.freeze();
  await stage.clock.advance(86_400_000);
  const next = await stage.process();
  await spend(next.wallet, 80n, { requestId: 'e', limits });
  expect((await events()).map((event) => event['share'])).toEqual(['0.5', '0.8', '0.5', '0.8']);
  one.thaw();
  other.thaw();
  await stage.clock.advance(10_000);
});

test('the charges of two accounts reach a threshold of their organisation together, once', async () => {
  const { store, clock } = stage;
  const { id: ben } = await accounts(store, clock).create({ name: 'ben', packageName: 'standard' });
  await addKey(store, { id: 'key of ben', accountId: ben });
  await credits(store, clock).topUp({ accountId: ben, amount: 1000n, reference: 'ben', by: 'op', reason: 'test' });
  const organisation = { id: 'org', name: 'org', display_name: 'The Group', source: 'store' as const, created_at: 0 };
  await store.db.insertInto('organisations').values(organisation).execute();
  await store.transaction(async (tx) => {
    await setOrganisation(tx, stage.accountId, 'org');
    await setOrganisation(tx, ben, 'org');
    await setOrganisationLimits(tx, 'org', [limitOf(100n, 'total', ['0.9'])]);
  });
  const limits: readonly SpendLimit[] = [{ scope: 'organisation', subjectId: 'org', amount: 100n, renewal: undefined }];
  const ofBen = { accountId: ben, keyId: 'key of ben', limits };
  const [one, other] = [await stage.process(), await stage.process()];
  await spend(one.wallet, 45n, { requestId: 'a', limits });
  await spend(other.wallet, 44n, { ...ofBen, requestId: 'b' });
  expect(await events()).toEqual([]);
  await Promise.all([
    spend(one.wallet, 1n, { requestId: 'c', limits }),
    spend(other.wallet, 1n, { ...ofBen, requestId: 'd' }),
  ]);
  await spend(one.wallet, 9n, { requestId: 'e', limits });
  expect(await events()).toMatchObject([
    {
      accountId: null,
      scope: 'organisation',
      organisation_id: 'org',
      name: 'The Group',
      limit: '0.0000001',
      period: 'total',
      share: '0.9',
      resets_at: null,
    },
  ]);
});
