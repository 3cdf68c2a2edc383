import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import type { AccountId } from '../../../src/money/accounts/ids.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { setMemberLimits } from '../../../src/money/billing/budgets/limit-changes.ts';
import type { Limit } from '../../../src/core/limit.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { goodPassword } from '../../browser.ts';
import { answer } from '../../fakes/fake-provider.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** The wall clock moves only when a test moves it. */
const noon = Date.parse('2026-11-19T12:00:00Z');

let gateway: TestGateway;
let operator: ConsolePerson;
beforeAll(async () => {
  vi.useFakeTimers({ now: noon, toFake: ['Date'] });
  gateway = await startTestGateway();
  gateway.provider.respond('plain', answer('Hello'));
  operator = await newPerson(gateway, { operator: 'operator' });
});
afterAll(async () => {
  vi.useRealTimers();
  await gateway.stop();
});

const unit = 1_000_000_000n;
const daily: Limit = { amount: unit, period: 'day', notifyAt: [] };
/** Some have begun their next day before noon in UTC. Bogota has no summer time. */
const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'Pacific/Auckland', 'America/Bogota'];

interface Spender {
  readonly accountId: string;
  readonly owner: ConsolePerson;
  keyId: string;
}

/** The owner of a new account, with a key that counts for the owner. */
async function newSpender(name: string, keyTerms: object = {}): Promise<Spender> {
  const accountId = await newAccount(gateway, name);
  await accounts(gateway.gateway.store, systemClock).change(accountId, { billing: 'postpaid' });
  const owner = await newPerson(gateway, { accounts: { [accountId]: 'owner' } });
  const { id } = await owner.post('/account/v1/keys', { name: 'test', ...keyTerms });
  return { accountId, owner, keyId: id };
}

let charges = 0;
/** Books a charge of the whole limit, as another process would. */
async function spendAll({ accountId, keyId }: Spender): Promise<void> {
  charges += 1;
  const terms = { processId: 'other', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
  const charge = { ...terms, accountId, keyId, requestId: `charge ${charges}`, cost: unit, at: Date.now() };
  await gateway.gateway.store.commit(settleCharges, [charge]);
}

/** Rotates the key first: no process has cached the limits of the new one. It shares the limits of the old one. */
async function statusOf(spender: Spender): Promise<number> {
  const { id, secret } = await spender.owner.post(`/account/v1/keys/${spender.keyId}/rotate`, { grace: 'now' });
  spender.keyId = id;
  return (await gateway.chat({}, { authorization: `Bearer ${secret}` })).status;
}

interface Limited {
  readonly spender: Spender;
  readonly move: (zone: string) => Promise<{ readonly status: number }>;
  /** The spend of the current period. */
  readonly spent: () => Promise<string>;
}

/** Signs in again, because sessions end. */
async function setTime({ owner }: Spender, at: string): Promise<void> {
  vi.setSystemTime(Date.parse(at));
  for (const person of [owner, operator]) {
    person.cookies.clear();
    await person.post('/auth/sign-in', { email: person.email, password: goodPassword });
  }
}

async function limitedAccount(by: 'owner' | 'operator'): Promise<Limited> {
  const spender = await newSpender(`account-${by}`);
  const { accountId, owner } = spender;
  await accounts(gateway.gateway.store, systemClock).change(accountId as AccountId, { limits: [daily] });
  return {
    spender,
    move: (zone) =>
      by === 'owner'
        ? owner.send('PATCH', '/account/v1/account', { time_zone: zone })
        : operator.send('PATCH', `/admin/v1/accounts/${accountId}`, { time_zone: zone }),
    spent: async () => (await owner.get('/account/v1/account')).windows[0].spent,
  };
}

async function limitedOrganisation(): Promise<Limited> {
  const { store } = gateway.gateway;
  const spender = await newSpender('of-organisation');
  const { id } = await organisations(store, systemClock).create({ name: 'group', limits: [daily] });
  await accounts(store, systemClock).change(spender.accountId as AccountId, { organisationId: id });
  return {
    spender,
    move: (zone) => operator.send('PATCH', `/admin/v1/organisations/${id}`, { time_zone: zone }),
    spent: async () => (await operator.get(`/admin/v1/organisations/${id}`)).windows[0].spent,
  };
}

async function limitedMember(): Promise<Limited> {
  const spender = await newSpender('of-member');
  const { accountId, owner } = spender;
  await gateway.gateway.store.transaction((tx) => setMemberLimits(tx, { accountId, userId: owner.id }, [daily]));
  return {
    spender,
    move: (zone) => owner.send('PATCH', '/account/v1/account', { time_zone: zone }),
    spent: async () => (await owner.get('/account/v1/members')).data[0].windows[0].spent,
  };
}

async function limitedKey(): Promise<Limited> {
  const spender = await newSpender('of-key', { spend_cap: '1', cap_period: 'day' });
  const { owner } = spender;
  return {
    spender,
    move: (zone) => owner.send('PATCH', '/account/v1/account', { time_zone: zone }),
    spent: async () => (await owner.get(`/account/v1/keys/${spender.keyId}`)).cap_spent,
  };
}

test.each([
  ['an account, changed by its owner', () => limitedAccount('owner')],
  ['an account, changed by an operator', () => limitedAccount('operator')],
  ['an organisation', limitedOrganisation],
  ['a member', limitedMember],
  ['a key', limitedKey],
] as const)('another time zone begins no new day of the limit of %s', async (_name, limited) => {
  vi.setSystemTime(noon);
  const { spender, move, spent } = await limited();
  await spendAll(spender);
  expect(await statusOf(spender)).toBe(402);
  for (const zone of zones) {
    expect((await move(zone)).status).toBe(200);
    expect(await spent()).toBe('1.00');
    expect(await statusOf(spender)).toBe(402);
  }
  // The day ends at midnight in UTC, as before. The next one lasts until midnight in Bogota, 29 hours later.
  await setTime(spender, '2026-11-19T23:59:59Z');
  expect(await statusOf(spender)).toBe(402);
  await setTime(spender, '2026-11-20T00:00:00Z');
  expect(await spent()).toBe('0.00');
  await spendAll(spender);
  for (const at of ['2026-11-20T00:00:00Z', '2026-11-20T05:00:00Z', '2026-11-21T00:00:00Z', '2026-11-21T04:59:59Z']) {
    await setTime(spender, at);
    expect([at, await statusOf(spender), await spent()]).toEqual([at, 402, '1.00']);
  }
  await setTime(spender, '2026-11-21T05:00:00Z');
  expect(await spent()).toBe('0.00');
  expect(await statusOf(spender)).toBe(200);
});
