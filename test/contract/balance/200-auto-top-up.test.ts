import { afterAll, beforeAll, expect, test } from 'vitest';
import { setAutoTopUp } from '../../../src/money/payments/auto-top-up.ts';
import { type FakeStripe, fakeStripe } from '../../fakes/fake-stripe.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let stripe: FakeStripe;
let gateway: TestGateway;
beforeAll(async () => {
  stripe = await fakeStripe(() => Date.now());
  const { secretKey: secret_key, webhookSecret: webhook_secret, baseUrl: base_url } = stripe.settings;
  gateway = await startTestGateway((base) => ({
    ...base,
    accounts: [
      { name: 'tester', package: 'standard' },
      { name: 'broke', package: 'standard' },
    ],
    payments: { stripe: { secret_key, webhook_secret, base_url } },
  }));
});
afterAll(async () => {
  await gateway.stop();
  await stripe.close();
});

test('an account without money is served after the gateway has charged its saved card', async () => {
  const headers = { authorization: `Bearer ${await gateway.newKey({ account: 'broke' })}` };
  const { store } = gateway.gateway;
  expect((await gateway.chat({}, headers)).status).toBe(402);
  const accounts = store.db.selectFrom('accounts').select('id').where('name', '=', 'broke');
  const { id: accountId } = await accounts.executeTakeFirstOrThrow();
  const { body, signature } = stripe.event('checkout.session.completed', stripe.saveCard(accountId));
  expect((await gateway.postText('/payments/stripe', body, { 'stripe-signature': signature })).status).toBe(200);
  const amounts = { threshold: 5_000_000_000n, amount: 20_000_000_000n, monthlyMax: 100_000_000_000n };
  await setAutoTopUp(store.db, { accountId, by: 'ann@example.com', at: Date.now(), ...amounts });
  const balance = async () => (await gateway.get('/v1/user/balance', headers)).json.balance_infos[0].topped_up_balance;
  await expect.poll(balance, { timeout: 30_000, message: 'the card is charged' }).toBe('20.00');
  expect(stripe.charges).toMatchObject([{ amount: '2000', card: 'pm_1' }]);
  expect((await gateway.chat({}, headers)).status).toBe(200);
});
