import { afterEach, beforeEach, expect, test } from 'vitest';
import { addKey, type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import type { SpendLimit } from '../../../core/caller.ts';
import { type Limit, memberSubject } from '../../../core/limit.ts';
import { decimalText } from '../../../core/money.ts';
import { calendarSpans, type CapPeriod } from '../../../core/time/cap-period.ts';
import type { Hold } from '../wallet/hold.ts';
import type { Wallet } from '../wallet.ts';
import { setAccountLimits, setBilling, setKeyMember, setMemberLimits, setOrganisation } from './limit-changes.ts';
import { setOrganisationLimits } from './limit-changes.ts';
import { readLimits } from './limit-reading.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
  const user = { id: 'mia', name: 'Mia', email: 'mia@example.com', email_verified: 1, created_at: '', updated_at: '' };
  await stage.store.db.insertInto('console_users').values(user).execute();
  const member = { account_id: stage.accountId, user_id: 'mia', role: 'member' as const, created_at: 0 };
  await stage.store.db.insertInto('console_members').values(member).execute();
  await stage.store.db
    .insertInto('organisations')
    .values({ id: 'org', name: 'org', source: 'store', created_at: 0 })
    .execute();
});
afterEach(() => stage.end());

const refused = { case: 'limit-reached' };
const of = (scope: SpendLimit['scope'], subjectId: string, amount: bigint, period?: CapPeriod): SpendLimit => ({
  scope,
  subjectId,
  amount,
  renewal: period && { period, timeZone: 'Asia/Kolkata' },
});
const ofAccount = (amount: bigint, period?: CapPeriod) => of('account', stage.accountId, amount, period);

async function holdFor(
  wallet: Wallet,
  requestId: string,
  amount: bigint,
  limits: readonly SpendLimit[],
  more: Partial<Parameters<Wallet['hold']>[0]> = {},
): Promise<Hold> {
  return stage.hold(wallet, requestId, amount, { limits, ...more });
}

async function spend(...[wallet, requestId, amount, limits, more]: Parameters<typeof holdFor>): Promise<void> {
  await stage.clock.until((await holdFor(wallet, requestId, amount, limits, more)).post(amount));
}

async function leases(): Promise<readonly string[]> {
  const rows = await stage.store.db.selectFrom('budget_leases').select(['scope', 'amount']).execute();
  return rows.map(({ scope, amount }) => `${scope} ${amount}`).toSorted();
}

const limit = (amount: bigint, period: Limit['period'], notifyAt: readonly string[] = []): Limit => ({
  amount,
  period,
  notifyAt,
});
const inTransaction = (work: (tx: Parameters<Parameters<typeof stage.store.transaction>[0]>[0]) => Promise<void>) =>
  stage.store.transaction(work);

test('a request spends from all its limits, and the lowest rest decides at every process', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  await inTransaction((tx) => setKeyMember(tx, 'key', 'mia'));
  const member = of('member', memberSubject(stage.accountId, 'mia'), 60n);
  const limits = [of('key', 'key', 500n), member, ofAccount(80n, 'day')];
  await spend(one.wallet, 'a', 50n, limits);
  await expect(holdFor(other.wallet, 'b', 11n, limits)).rejects.toMatchObject(refused);
  await addKey(stage.store, { id: 'another', accountId: stage.accountId });
  await spend(other.wallet, 'c', 25n, [ofAccount(80n, 'day')], { keyId: 'another' });
  await expect(holdFor(one.wallet, 'd', 6n, limits)).rejects.toThrow('The account has a spend limit of');
});

test('a request that one of its limits refuses returns what it reserved from the others', async () => {
  const { wallet } = await stage.process();
  const limits = [of('key', 'key', 500n), ofAccount(500n), of('organisation', 'org', 10n)];
  await expect(holdFor(wallet, 'a', 40n, limits)).rejects.toMatchObject(refused);
  const hold = await holdFor(wallet, 'b', 500n, limits.slice(0, 2));
  hold.void();
  await stage.clock.advance(120_000);
  expect(await leases()).toEqual([]);
});

test('a client that leaves, or a deadline, while a request waits for its second limit leaves nothing reserved', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const limits = [ofAccount(100n, 'day'), of('organisation', 'org', 100n)];
  const elsewhere = await holdFor(other.wallet, 'elsewhere', 60n, limits.slice(1));
  const abort = new AbortController();
  const late = { deadlineMs: stage.clock.elapsed() + 50 };
  const left = { deadlineMs: Number.POSITIVE_INFINITY, signal: abort.signal };
  const outcomes = [late, left].map((deadline, index) =>
    (async () => one.wallet.hold(stage.name(`w${index}`, { limits }), 50n, deadline))().then(
      () => 'held',
      () => 'refused',
    ),
  );
  await stage.clock.advance(60);
  abort.abort(new Error('gone'));
  await stage.clock.advance(10_000);
  expect(await Promise.all(outcomes)).toEqual(['refused', 'refused']);
  elsewhere.void();
  await stage.clock.advance(120_000);
  expect(await leases()).toEqual([]);
});

test('a wider hold takes from every limit or from none', async () => {
  const { wallet } = await stage.process();
  const limits = [ofAccount(100n), of('organisation', 'org', 60n)];
  const hold = await holdFor(wallet, 'a', 20n, limits);
  const wider = hold.widen(70n);
  await stage.clock.until(wider.catch(() => undefined));
  await expect(wider).rejects.toMatchObject(refused);
  (await holdFor(wallet, 'b', 80n, limits.slice(0, 1))).void();
  await stage.clock.until(hold.widen(60n));
  await expect(holdFor(wallet, 'c', 1n, limits)).rejects.toMatchObject(refused);
  await stage.clock.until(hold.post(55n));
  (await holdFor(wallet, 'd', 5n, limits)).void();
});

test('each period pays for the requests that began in it, also after midnight and after a process was killed', async () => {
  const daily = { period: 'day', timeZone: 'Asia/Kolkata' } as const;
  const { until } = calendarSpans()(daily, stage.clock.now());
  await stage.clock.advance(until - 10_000 - stage.clock.now());
  const [one, other] = [await stage.process(), await stage.process()];
  const limits = [ofAccount(100n, 'day'), ofAccount(150n)];
  const doomed = await holdFor(one.wallet, 'doomed', 90n, limits);
  doomed.watch(() => 80n);
  const late = await holdFor(other.wallet, 'late', 10n, limits);
  await stage.clock.advance(5000);
  one.freeze();
  await stage.clock.advance(60_000);
  await stage.clock.until(late.post(10n));
  // The day has its whole limit again, the total has what 80 and 10 left.
  await expect(holdFor(other.wallet, 'much', 61n, limits)).rejects.toThrow('in total');
  await spend(other.wallet, 'today', 60n, limits);
  one.thaw();
  doomed.void();
});

test('after a change of the time zone, a limit counts what the new day contains, and running requests', async () => {
  const daily = (timeZone: string): readonly SpendLimit[] => [
    { scope: 'account', subjectId: stage.accountId, amount: 100n, renewal: { period: 'day', timeZone } },
  ];
  const { until: midnight } = calendarSpans()({ period: 'day', timeZone: 'UTC' }, stage.clock.now());
  // The day in India begins at 18:30 UTC.
  const indian = midnight - 5.5 * 3_600_000;
  await stage.clock.advance(indian - 60_000 - stage.clock.now());
  const [one, other] = [await stage.process(), await stage.process()];
  await spend(one.wallet, 'yesterday in India', 30n, daily('Asia/Kolkata'));
  await stage.clock.advance(120_000);
  await spend(one.wallet, 'today', 40n, daily('Asia/Kolkata'));
  const running = await holdFor(one.wallet, 'running', 20n, daily('Asia/Kolkata'));
  await expect(holdFor(other.wallet, 'above the Indian day', 41n, daily('Asia/Kolkata'))).rejects.toMatchObject(
    refused,
  );
  await expect(holdFor(other.wallet, 'above the day', 11n, daily('UTC'))).rejects.toMatchObject(refused);
  await spend(other.wallet, 'rest of the day', 10n, daily('UTC'));
  // The request ends in the period in which it began, and in the new day.
  await stage.clock.until(running.post(20n));
  await expect(holdFor(one.wallet, 'nothing left', 1n, daily('UTC'))).rejects.toMatchObject(refused);
  await stage.clock.advance(midnight - stage.clock.now());
  await spend(one.wallet, 'tomorrow', 100n, daily('UTC'));
});

test('a running request whose process expired gets its shares of all limits again, or ends with the refusal', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const limits = [ofAccount(100n, 'day'), of('organisation', 'org', 100n)];
  const kept = await holdFor(one.wallet, 'kept', 30n, limits);
  const lost = await holdFor(one.wallet, 'lost', 60n, limits);
  let error: unknown;
  lost.whenLost((reason) => (error = reason));
  await stage.freezeUntilReaped(one, () => spend(other.wallet, 'spent', 50n, limits.slice(1)));
  expect(error).toMatchObject(refused);
  lost.void();
  await stage.clock.until(kept.post(30n));
  (await holdFor(other.wallet, 'rest', 20n, limits)).void();
});

test('an organisation pays for the charges of all its accounts, and keeps its limit when an account joins or leaves', async () => {
  const { wallet } = await stage.process();
  await inTransaction(async (tx) => {
    await setOrganisation(tx, stage.accountId, 'org');
    await setOrganisationLimits(tx, 'org', [limit(100n, 'total')]);
  });
  const limits = [of('organisation', 'org', 100n)];
  await spend(wallet, 'a', 70n, limits);
  await expect(holdFor(wallet, 'b', 31n, limits)).rejects.toMatchObject(refused);
  await inTransaction((tx) => setOrganisation(tx, stage.accountId, null));
  await spend(wallet, 'c', 90n, []);
  (await holdFor(wallet, 'd', 100n, limits)).void();
  await inTransaction((tx) => setOrganisation(tx, stage.accountId, 'org'));
  await stage.publish({ topic: 'organisation', subject: 'org' });
  await expect(holdFor(wallet, 'e', 1n, limits)).rejects.toMatchObject(refused);
});

test('the spend of a key counts for the member that it belongs to', async () => {
  const { wallet } = await stage.process();
  await addKey(stage.store, { id: 'hers', accountId: stage.accountId, memberId: 'mia' });
  const limits = [of('member', memberSubject(stage.accountId, 'mia'), 100n)];
  await spend(wallet, 'a', 60n, limits, { keyId: 'hers' });
  await spend(wallet, 'b', 30n, []);
  (await holdFor(wallet, 'c', 40n, limits)).void();
  await inTransaction((tx) => setKeyMember(tx, 'key', 'mia'));
  await stage.publish({ topic: 'account', subject: stage.accountId });
  await expect(holdFor(wallet, 'd', 11n, limits)).rejects.toMatchObject(refused);
  (await holdFor(wallet, 'e', 10n, limits)).void();
});

test('each threshold of a limit yields one event, whichever processes spend', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const terms = [limit(100n, 'day', ['0.5', '0.8']), limit(1000n, 'total', ['0.08'])];
  await inTransaction((tx) => setAccountLimits(tx, stage.accountId, terms));
  const limits = [of('account', stage.accountId, 100n, 'day'), ofAccount(1000n)].map((each) =>
    each.renewal ? { ...each, renewal: { ...each.renewal, timeZone: 'UTC' } } : each,
  );
  const kinds = async () => {
    const rows = await stage.store.db
      .selectFrom('events')
      .select('data')
      .where('kind', '=', 'limit.threshold')
      .execute();
    return rows
      .map(({ data }) => JSON.parse(data) as Record<string, string>)
      .map((data) => `${data['period']} ${data['share']}`);
  };
  await spend(one.wallet, 'a', 49n, limits);
  expect(await kinds()).toEqual([]);
  await Promise.all([spend(one.wallet, 'b', 1n, limits), spend(other.wallet, 'c', 1n, limits)]);
  expect(await kinds()).toEqual(['day 0.5']);
  await spend(other.wallet, 'd', 40n, limits);
  expect((await kinds()).toSorted()).toEqual(['day 0.5', 'day 0.8', 'total 0.08']);
  await inTransaction((tx) => setMemberLimits(tx, { accountId: stage.accountId, userId: 'mia' }, terms));
  await inTransaction((tx) => setAccountLimits(tx, stage.accountId, terms));
  await spend(other.wallet, 'e', 1n, limits);
  expect(await kinds()).toHaveLength(3);
});

test('a limit is read with its spend, its leases and its rest', async () => {
  const { wallet } = await stage.process();
  await spend(wallet, 'a', 30n, [ofAccount(100n)]);
  const hold = await holdFor(wallet, 'b', 60n, [ofAccount(100n)]);
  const subject = {
    scope: 'account' as const,
    subjectId: stage.accountId,
    accountId: stage.accountId,
    timeZone: 'UTC',
    limits: [limit(100n, 'total'), limit(40n, 'day')],
  };
  const { until } = calendarSpans()({ period: 'day', timeZone: 'UTC' }, stage.clock.now());
  const [[total, day] = []] = await readLimits(stage.store, [subject], stage.clock.now());
  expect(total).toMatchObject({ limit: 100n, spent: 30n, resetsAt: undefined });
  expect([total!.reserved >= 60n, total!.free + total!.reserved]).toEqual([true, 70n]);
  expect(day).toMatchObject({ limit: 40n, spent: 30n, reserved: 0n, free: 10n, resetsAt: until });
  hold.void();
});

test('a postpaid account spends below zero, and only its limits stop it', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const now = stage.clock.now();
  await inTransaction((tx) => setBilling(tx, stage.accountId, { billing: 'postpaid', now }));
  await spend(one.wallet, 'a', 5_000_000n, []);
  await spend(other.wallet, 'b', 300n, [ofAccount(5_000_500n)]);
  const { toppedUp } = await stage.balance();
  expect(decimalText(toppedUp)).toBe('-0.0040003');
  await expect(holdFor(one.wallet, 'c', 201n, [ofAccount(5_000_500n)])).rejects.toMatchObject(refused);
  expect(await stage.losses()).toBe(0n);
});

test('an account that becomes prepaid while processes lease its money leases nothing more below zero', async () => {
  const [one, other] = [await stage.process(), await stage.process()];
  const set = (billing: 'prepaid' | 'postpaid') =>
    inTransaction((tx) => setBilling(tx, stage.accountId, { billing, now: stage.clock.now() }));
  await set('postpaid');
  await spend(one.wallet, 'a', 3_000_000n, []);
  const running = await holdFor(one.wallet, 'running', 500n, []);
  await set('prepaid');
  await stage.publish({ topic: 'lease', subject: stage.accountId });
  await expect(holdFor(other.wallet, 'b', 1n, [])).rejects.toMatchObject({ case: 'insufficient-balance' });
  await expect(holdFor(one.wallet, 'c', 5000n, [])).rejects.toMatchObject({ case: 'insufficient-balance' });
  await stage.clock.until(running.post(500n));
  await stage.topUp(2_000_600n);
  await spend(other.wallet, 'd', 100n, []);
  await expect(holdFor(one.wallet, 'e', 1n, [])).rejects.toMatchObject({ case: 'insufficient-balance' });
});
