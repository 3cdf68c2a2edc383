import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { setAccountLimits, setBilling } from '../../../src/money/billing/budgets/limit-changes.ts';
import { openingBalance } from '../../../src/money/billing/opening-entries.ts';
import { limitFrom, type LimitText } from '../../../src/core/limit.ts';
import { expectEnvelope } from '../../expectations.ts';
import { sendChat, warmGateway } from '../../fast-path/both-paths.ts';
import { watchedFastPath } from '../../fast-path/warm-fast-path.ts';
import type { TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let accountId: string;
beforeAll(async () => {
  gateway = await warmGateway([]);
  const accounts = gateway.gateway.store.db.selectFrom('accounts').select('id').where('name', '=', 'tester');
  accountId = (await accounts.executeTakeFirstOrThrow()).id;
});
afterEach(() => limitTo([]));
afterAll(() => gateway.stop());

const body = { model: 'warm', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] };
const post = () => gateway.post('/v1/chat/completions', body);
const isAvailable = async () => (await gateway.get('/v1/user/balance')).json.is_available as boolean;

function limitTo(limits: readonly LimitText[]): Promise<void> {
  return gateway.gateway.store.transaction((tx) => setAccountLimits(tx, accountId, limits.map(limitFrom)));
}

test('a request above a limit of its account is refused with the limit and its reset, once per period by event', async () => {
  await limitTo([
    { amount: '0.000000002', period: 'month' },
    { amount: '5', period: 'total' },
  ]);
  await expect.poll(async () => (await post()).status).toBe(402);
  const reply = await post();
  expectEnvelope(reply, { status: 402, code: 'insufficient_balance', type: 'gateway_error' });
  expect(reply.json.error.message).toMatch(
    /^The account has a spend limit of 0\.000000002 per month\..*resets at \d{4}-/,
  );
  const events = gateway.gateway.store.db.selectFrom('events').select('data').where('kind', '=', 'limit.reached');
  await expect.poll(async () => (await events.execute()).length).toBe(1);
  const [event] = await events.execute();
  expect(JSON.parse(event!.data)).toMatchObject({ scope: 'account', name: 'tester', period: 'month' });
});

test('a spent limit makes the balance unavailable', async () => {
  await expect.poll(async () => (await post()).status).toBe(200);
  await limitTo([{ amount: '0.000000001', period: 'total' }]);
  await expect.poll(isAvailable).toBe(false);
});

test('a request within warm limits takes the fast path', async () => {
  await limitTo([
    { amount: '9', period: 'day' },
    { amount: '99', period: 'total' },
  ]);
  const { mock } = watchedFastPath();
  await expect
    .poll(async () => {
      await sendChat(gateway, '/v1/chat/completions', body);
      const leases = gateway.gateway.store.db.selectFrom('budget_leases').select('budget');
      return mock.results.at(-1)?.value === true && (await leases.execute()).length === 2;
    })
    .toBe(true);
});

test('a postpaid account is available below zero', async () => {
  const { store } = gateway.gateway;
  const account = gateway.gateway.store.db.selectFrom('balances').selectAll().where('account_id', '=', accountId);
  const { granted, topped_up: toppedUp } = await account.executeTakeFirstOrThrow();
  await store.transaction(async (tx) => {
    await setBilling(tx, accountId, { billing: 'postpaid', now: Date.now() });
    const owed = -BigInt(granted) - BigInt(toppedUp) - 1_000_000_000n;
    const order = { accountId, amount: owed, reference: 'import:a', by: 'import', reason: 'import', at: Date.now() };
    await openingBalance(tx, order);
  });
  await expect.poll(async () => (await post()).status).toBe(200);
  const { json } = await gateway.get('/v1/user/balance');
  expect(json.is_available).toBe(true);
  expect(json.balance_infos[0].total_balance).toMatch(/^-1\./);
});
