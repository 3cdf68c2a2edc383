import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  setAccountLimits,
  setMemberLimits,
  setOrganisationLimits,
} from '../../src/money/billing/budgets/limit-changes.ts';
import { moneyText } from '../../src/money/billing/ledger/locked-accounts.ts';
import { limitFrom, type LimitText } from '../../src/core/limit.ts';
import { nanoFrom } from '../../src/core/money.ts';
import { expectSound } from '../at-rest.ts';
import type { ChatOutcome } from '../chat-client.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { eventually } from '../eventually.ts';
import { type Postgres, startPostgres } from '../services/postgres.ts';
import { type ClusterStage, setUpCluster } from './stage.ts';

/** Twenty tokens at one millionth each, in nano-units. */
const answerCost = 20_000n;

// A request holds as much as 35 answers cost.
const memberLimit: LimitText = { amount: '0.004', period: 'day' };
const dayLimit: LimitText = { amount: '0.006', period: 'day' };
const monthLimit: LimitText = { amount: '0.008', period: 'month' };
const organisationLimit: LimitText = { amount: '0.01', period: 'month' };
const raisedDay: LimitText = { amount: '1', period: 'day' };
const raisedOrganisation: LimitText = { amount: '0.014', period: 'month' };

// Keys of one length, so that each request holds the same amount. Mira is a member of acme.
const keys = ['acme', 'mira', 'bert'] as const;
type Key = (typeof keys)[number];

let postgres: Postgres;
let stage: ClusterStage;
const answered: ChatOutcome[] = [];
const unexpected: string[] = [];
let killed: GatewayProcess | undefined;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(() => stage.tearDown());
afterAll(() => postgres.stop());

async function begin(timeZone: string, limits: readonly LimitText[], clockFile?: string): Promise<void> {
  const account = { package: 'weight-1', organisation: 'group', time_zone: timeZone };
  [answered.length, unexpected.length, killed] = [0, 0, undefined];
  stage = await setUpCluster({
    database: await postgres.createDatabase(),
    gateways: 1,
    limit: 60,
    serviceMs: 20,
    accounts: { acme: 1, bert: 1 },
    ...(clockFile !== undefined && { clockFile }),
    file: {
      organisations: [{ name: 'group', time_zone: timeZone, limits: [organisationLimit] }],
      accounts: [
        { ...account, name: 'acme', billing: 'postpaid', limits },
        { ...account, name: 'bert', credit: '100' },
      ],
    },
  });
  await addMira();
}

test('all limits hold over three gateways, one of them killed and replaced, and clients can spend them to the last request', async () => {
  // No period ends during the test.
  await begin(noonZone(new Date()), [dayLimit, monthLimit]);
  const [one] = stage.gateways as [GatewayProcess];
  for (const key of [...keys, ...keys, ...keys]) expect(await send(key, one)).toMatchObject({ isDone: true });
  await stage.start();
  await stage.start();
  await Promise.all(pairs().map(([key, gateway]) => spend(key, gateway, (answers) => answers === 5)));

  const release = stage.provider.hold();
  const running = pairs().map(([key, gateway]) => spend(key, gateway, (answers) => answers === 1));
  await eventually(() => expect(stage.provider.inFlight).toBe(running.length));
  killed = one;
  await stage.kill(one);
  release();
  await Promise.all(running);
  await stage.start();

  await expectReached('mira', 'member', memberLimit);
  await expectReached('acme', 'account', dayLimit);
  await expectReached('bert', 'organisation', organisationLimit);
  await stage.store.transaction(async (tx) => {
    await setAccountLimits(tx, await idOf('acme'), [raisedDay, monthLimit].map(limitFrom));
  });
  await stage.store.transaction(async (tx) => {
    await setOrganisationLimits(tx, await groupId(), [limitFrom(raisedOrganisation)]);
  });
  await expectReached('acme', 'account', monthLimit);
  await expectReached('bert', 'organisation', raisedOrganisation);

  expect(unexpected).toEqual([]);
  await eventually(async () => {
    const amounts = Map.groupBy(await charges(), ({ id }) => id);
    expect([...amounts.values()].filter((same) => same.length > 1)).toEqual([]);
    const wrong = answered.filter(({ id }) => amounts.get(id)?.[0]?.amount !== answerCost);
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
  // The provider sends less than the hold of a request, so the killed process exceeds no limit either.
  const spent = await spends();
  expect(spent.member).toBeLessThanOrEqual(nanoFrom(memberLimit.amount));
  expect(spent.account).toBeLessThanOrEqual(nanoFrom(monthLimit.amount));
  expect(spent.organisation).toBeLessThanOrEqual(nanoFrom(raisedOrganisation.amount));
  await expectSound(stage.store);
});

test('requests in flight at the end of a day, week and month count in it alone, also those of a killed gateway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clock-'));
  const clockFile = join(folder, 'shift');
  const midnight = mondayFirst('+05:30');
  let shiftMs = 0;
  const now = () => Date.now() + shiftMs;
  const setClock = (at: number): void => {
    shiftMs = at - Date.now();
    writeFileSync(`${clockFile}.new`, String(shiftMs));
    renameSync(`${clockFile}.new`, clockFile);
  };
  setClock(midnight - 600_000);
  const weekLimit: LimitText = { amount: '0.007', period: 'week' };
  await begin('Asia/Kolkata', [dayLimit, weekLimit, monthLimit], clockFile);
  const [one] = stage.gateways as [GatewayProcess];
  await stage.start();
  await stage.start();
  for (const [key, gateway] of [...pairs(), ...pairs()])
    expect(await send(key, gateway)).toMatchObject({ isDone: true });

  const inFlight = async (before: number) => {
    const sent = pairs().map(async ([key, gateway]) => ({ gateway, outcome: await send(key, gateway) }));
    await eventually(() => expect(stage.provider.inFlight).toBe(before + sent.length));
    return sent;
  };
  const release = stage.provider.hold();
  setClock(midnight - 5000);
  // The gateways read the new time.
  await delay(100);
  const late = await inFlight(0);
  expect(now()).toBeLessThan(midnight);
  await delay(midnight + 100 - now());
  const early = await inFlight(late.length);
  killed = one;
  await stage.kill(one);
  release();
  const ended = async (sent: typeof late) => {
    const living = (await Promise.all(sent)).filter(({ gateway }) => gateway !== killed);
    expect(living.map(({ outcome }) => outcome.isDone)).toEqual(living.map(() => true));
    return living.map(({ outcome }) => outcome.id);
  };
  const [ofLastDay, ofFirstDay] = [await ended(late), await ended(early)];
  await stage.start();

  // The new periods are whole again, apart from the requests that began in them.
  await expectReached('acme', 'account', dayLimit, midnight);
  expect(unexpected).toEqual([]);
  await eventually(async () => {
    const at = Map.groupBy(await charges(), ({ id }) => id);
    for (const { id } of answered) expect(at.get(id)).toMatchObject([{ amount: answerCost }]);
    for (const id of ofLastDay) expect(at.get(id)?.[0]?.at).toBeLessThan(midnight);
    for (const id of ofFirstDay) expect(at.get(id)?.[0]?.at).toBeGreaterThanOrEqual(midnight);
  });
  const stored = await stage.store.db.selectFrom('budget_spend').selectAll().where('scope', '=', 'account').execute();
  const periods = stored.map(({ since, until }) => [since === midnight, until === midnight].join());
  expect(periods.toSorted()).toEqual([
    'false,true',
    'false,true',
    'false,true',
    'true,false',
    'true,false',
    'true,false',
  ]);
  await expectSound(stage.store);
  rmSync(folder, { recursive: true });
});

/** The next first day of a month that is a Monday: a day, a week and a month begin together. */
function mondayFirst(offset: string): number {
  for (let date = new Date(); ; ) {
    date = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
    if (date.getUTCDay() === 1) return Date.parse(date.toISOString().replace('Z', offset));
  }
}

/** Each key at each living gateway. */
function pairs(): readonly (readonly [Key, GatewayProcess])[] {
  return living().flatMap((gateway) => keys.map((key) => [key, gateway] as const));
}

function living(): readonly GatewayProcess[] {
  return stage.gateways.filter(({ isAlive }) => isAlive);
}

/**
 * Sends requests one after another, until enough are answered. A limit may refuse a request while peers or a killed
 * process have its rest leased; the client then repeats it.
 */
async function spend(key: Key, gateway: GatewayProcess, isEnough: (answers: number) => boolean): Promise<void> {
  for (let answers = 0; !isEnough(answers); ) {
    const { isDone, isComplete, status, error } = await send(key, gateway);
    if (isDone) answers += 1;
    else if (!isComplete && gateway === killed) return;
    else if (status === 402 && error?.message.includes(' has a spend limit of ')) await delay(50);
    else unexpected.push(`${key} at ${gateway.name}: ${status} ${error?.message}`);
  }
}

async function send(key: Key, gateway: GatewayProcess): Promise<ChatOutcome> {
  const outcome = await stage.send(key, gateway);
  if (outcome.isDone) answered.push(outcome);
  return outcome;
}

/**
 * Clients of the key spend at all gateways until less than the hold of a request is left. The limit then refuses
 * requests at each of them, and was not exceeded.
 */
async function expectReached(
  key: Key,
  scope: 'member' | 'account' | 'organisation',
  limit: LimitText,
  since = 0,
): Promise<void> {
  const most = nanoFrom(limit.amount);
  const stopping = new AbortController();
  const clients = living().map((gateway) => spend(key, gateway, () => stopping.signal.aborted));
  // The leases of a killed process are free after it has expired.
  await eventually(async () =>
    expect((await spends(since))[scope]).toBeGreaterThan(most - (await holdOfRequest())),
  ).finally(() => stopping.abort());
  await Promise.all(clients);
  for (const gateway of living()) {
    // A gateway may not have received a raised limit yet.
    await eventually(async () => {
      const { status, error } = await send(key, gateway);
      expect([status, error?.code]).toEqual([402, 'insufficient_balance']);
      expect(error?.message).toContain(`The ${scope} has a spend limit of ${limit.amount} per ${limit.period}. `);
    });
  }
  expect((await spends(since))[scope]).toBeLessThanOrEqual(most);
}

async function charges() {
  const rows = await stage.store.db
    .selectFrom('transfers')
    .innerJoin('api_keys', 'api_keys.id', 'transfers.key_id')
    .innerJoin('accounts', 'accounts.id', 'transfers.account_id')
    .select(['reference', 'at', 'member_id', 'accounts.name as account', moneyText('transfers.amount').as('amount')])
    .where('kind', 'in', ['charge', 'charge-rest'])
    .execute();
  return rows.map(({ reference, at, member_id: member, account, amount }) => {
    return { id: reference, at, member, account, amount: -BigInt(amount) };
  });
}

/** The spend of Mira, of acme and of the organisation. */
async function spends(since = 0) {
  const all = (await charges()).filter(({ at }) => at >= since);
  const sum = (rows: typeof all): bigint => rows.reduce((total, { amount }) => total + amount, 0n);
  return {
    member: sum(all.filter(({ member }) => member === 'mira')),
    account: sum(all.filter(({ account }) => account === 'acme')),
    organisation: sum(all),
  };
}

async function holdOfRequest(): Promise<bigint> {
  const held = stage.store.db.selectFrom('transfers').select((all) => all.fn.max('held').as('most'));
  return BigInt((await held.executeTakeFirstOrThrow()).most ?? 0);
}

async function addMira(): Promise<void> {
  const now = new Date().toISOString();
  const names = { id: 'mira', name: 'Mira', email: 'mira@example.com' };
  const user = { ...names, email_verified: 1, created_at: now, updated_at: now };
  const accountId = await idOf('acme');
  await stage.store.transaction(async (tx) => {
    await tx.insertInto('console_users').values(user).execute();
    const member = { account_id: accountId, user_id: 'mira', role: 'member' as const, created_at: 0 };
    await tx.insertInto('console_members').values(member).execute();
    await setMemberLimits(tx, { accountId, userId: 'mira' }, [limitFrom(memberLimit)]);
  });
  await stage.addKey('acme', { name: 'mira', memberId: 'mira' });
}

async function idOf(account: string): Promise<string> {
  const row = stage.store.db.selectFrom('accounts').select('id').where('name', '=', account);
  return (await row.executeTakeFirstOrThrow()).id;
}

async function groupId(): Promise<string> {
  return (await stage.store.db.selectFrom('organisations').select('id').executeTakeFirstOrThrow()).id;
}

/** These zones have the opposite sign: `Etc/GMT+10` is ten hours behind UTC. */
function noonZone(now: Date): string {
  const behind = now.getUTCHours() - 12;
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`;
}
