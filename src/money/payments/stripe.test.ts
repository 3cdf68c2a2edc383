import { beforeEach, expect, test } from 'vitest';
import { fakeStripe, type FakeStripe, type SignedEvent } from '../../../test/fakes/fake-stripe.ts';
import { systemClock } from '../../core/time/clock.ts';
import { stripe } from './stripe.ts';

const time = { at: 1_800_000_000_000 };
const clock = { ...systemClock, now: () => time.at };
let fake: FakeStripe;
beforeEach(async () => {
  fake = await fakeStripe(clock.now);
  return () => fake.close();
});
const decode = ({ body, signature }: SignedEvent) =>
  stripe(fake.settings, clock).decodeWebhook(Buffer.from(body), (name) =>
    name === 'stripe-signature' ? signature : undefined,
  );
const session = (more: object = {}) => ({
  client_reference_id: 'pay_1',
  payment_status: 'paid',
  amount_total: 1000,
  currency: 'usd',
  payment_intent: 'pi_1',
  ...more,
});

test('an event is accepted only with a recent signature over its exact bytes', () => {
  const paid = fake.event('checkout.session.completed', session());
  expect(decode(paid)).toMatchObject({ kind: 'paid', minorUnits: 1000, currency: 'USD', intent: 'pi_1' });
  const forged = [
    fake.event('checkout.session.completed', session(), { secret: 'whsec_other' }),
    fake.event('checkout.session.completed', session(), { at: time.at - 301_000 }),
    fake.event('checkout.session.completed', session(), { at: time.at + 301_000 }),
    { ...paid, body: paid.body.replace('1000', '9000') },
    { ...paid, body: JSON.stringify(JSON.parse(paid.body)) },
    { ...paid, signature: '' },
    { ...paid, signature: paid.signature.replaceAll('v1=', 'v0=') },
    { ...paid, signature: paid.signature.replace(/v1=.*/, 'v1=') },
    { ...paid, signature: paid.signature.replace(/..,v0/, ',v0') },
    { ...paid, signature: paid.signature.replace(/t=\d+/, `t=${Math.floor(time.at / 1000) + 1}`) },
  ];
  for (const each of forged) expect(() => decode(each)).toThrow('signature is missing, wrong or too old');
});

test('only received money counts, and irrelevant events are ignored', () => {
  const completed = 'checkout.session.completed';
  expect(decode(fake.event(completed, session({ payment_status: 'unpaid' })))).toBeUndefined();
  expect(decode(fake.event(completed, session({ client_reference_id: null })))).toBeUndefined();
  expect(decode(fake.event('customer.created', {}))).toBeUndefined();
  expect(decode(fake.event('checkout.session.async_payment_succeeded', session()))).toMatchObject({ kind: 'paid' });
  expect(decode(fake.event('checkout.session.expired', session()))).toEqual({ kind: 'ended', paymentId: 'pay_1' });
  const charge = { payment_intent: 'pi_1', amount_refunded: 300, metadata: { payment: 'pay_1' } };
  expect(decode(fake.event('charge.refunded', charge))).toEqual({
    kind: 'refunded',
    intent: 'pi_1',
    paymentId: 'pay_1',
    minorUnits: 300,
  });
  const dispute = { id: 'dp_1', payment_intent: 'pi_1', amount: 1000 };
  const kinds = ['withdrawn', 'reinstated'].map(
    (end) => decode(fake.event(`charge.dispute.funds_${end}`, dispute))?.kind,
  );
  expect(kinds).toEqual(['disputed', 'dispute-won']);
});

test('a repeated checkout returns the same session, and an error does not reveal the key', async () => {
  const order = {
    paymentId: 'pay_1',
    minorUnits: 1000,
    currency: 'USD',
    title: '10.00 USD',
    paidUrl: 'https://g.example/a',
    leftUrl: 'https://g.example/b',
  };
  const first = await stripe(fake.settings, clock).checkout(order);
  expect(await stripe(fake.settings, clock).checkout(order)).toEqual(first);
  expect(fake.sessions.get('pay_1')?.get('payment_intent_data[metadata][payment]')).toBe('pay_1');
  const refused = [
    stripe({ ...fake.settings, secretKey: 'sk_wrong' }, clock).checkout(order),
    stripe(fake.settings, clock).checkout({ ...order, minorUnits: 49, paymentId: 'pay_2' }),
  ];
  for (const each of refused) await expect(each).rejects.toThrow(/^The payment provider refused the request/);
  const away = stripe({ ...fake.settings, baseUrl: 'http://127.0.0.1:9' }, clock).checkout(order);
  await expect(away).rejects.toThrow(/^The payment provider could not be reached/);
});

test('a saved card is read by its set-up, charged once for a payment, and forgotten', async () => {
  const provider = stripe(fake.settings, clock);
  const { signal } = new AbortController();
  const pages = { savedUrl: 'https://g.example/a', leftUrl: 'https://g.example/b' };
  const order = { accountId: 'acc_1', by: 'ann@example.com', customer: undefined, ...pages };
  expect((await provider.setUpCard(order)).url).toMatch(/^https:\/\/checkout\.stripe\.test\//);
  expect(fake.sessions.get('acc_1')?.get('customer_creation')).toBe('always');
  const report = decode(fake.event('checkout.session.completed', fake.saveCard('acc_1')));
  expect(report).toMatchObject({ kind: 'card-set-up', accountId: 'acc_1', by: 'ann@example.com', setup: 'seti_1' });
  if (report?.kind !== 'card-set-up') throw new Error('not a card');
  const card = await provider.cardOf(report);
  expect(card).toMatchObject({ card: 'pm_1', customer: 'cus_1', brand: 'visa', last4: '4242', expYear: 2031 });
  const charge = (paymentId: string, id = 'pm_1') => {
    const amount = { minorUnits: 1000, currency: 'USD', title: '10.00 USD' };
    return provider.charge({ paymentId, ...amount, customer: 'cus_1', card: id }, signal);
  };
  const first = await charge('pay_1');
  expect(first).toEqual({ kind: 'paid', minorUnits: 1000, currency: 'USD', intent: 'pi_auto_1' });
  expect(await charge('pay_1')).toEqual(first);
  expect(fake.charges).toHaveLength(1);
  await provider.forgetCard('pm_1');
  await provider.forgetCard('pm_1');
  expect(await charge('pay_2')).toEqual({ kind: 'failed', failure: 'refused' });
});

test('a declined charge has a reason, and a call without a certain result throws', async () => {
  const { signal } = new AbortController();
  const failures: unknown[] = [];
  for (const decline of ['generic_decline', 'authentication_required', 'insufficient_funds', 'expired_card']) {
    fake.saveCard('acc_1', { last4: '0002', decline });
    const order = { minorUnits: 1000, currency: 'USD', title: 'x', customer: 'cus_1', card: `pm_${fake.cards.size}` };
    failures.push(await stripe(fake.settings, clock).charge({ ...order, paymentId: `pay_${decline}` }, signal));
  }
  expect(failures).toEqual(
    ['declined', 'authentication_required', 'insufficient_funds', 'expired_card'].map((failure) => ({
      kind: 'failed',
      failure,
    })),
  );
  const order = { paymentId: 'p', minorUnits: 1000, currency: 'USD', title: 'x', customer: 'cus_1', card: 'pm_1' };
  for (const settings of [{ secretKey: 'sk_wrong' }, { baseUrl: 'http://127.0.0.1:9' }]) {
    await expect(stripe({ ...fake.settings, ...settings }, clock).charge(order, signal)).rejects.toThrow();
  }
});

test('events of automatic payments count, and those of checkouts are left to their sessions', () => {
  const intent = { id: 'pi_1', status: 'succeeded', amount_received: 1000, currency: 'usd' };
  const automatic = { payment: 'pay_1', automatic: 'true' };
  const event = (type: string, more: object) => decode(fake.event(`payment_intent.${type}`, { ...intent, ...more }));
  expect(event('succeeded', { metadata: automatic })).toEqual({
    kind: 'paid',
    paymentId: 'pay_1',
    minorUnits: 1000,
    currency: 'USD',
    intent: 'pi_1',
  });
  expect(event('succeeded', { metadata: { payment: 'pay_1' } })).toBeUndefined();
  const failed = { status: 'requires_payment_method', last_payment_error: { code: 'expired_card' } };
  expect(event('payment_failed', { ...failed, metadata: automatic })).toEqual({
    kind: 'failed',
    paymentId: 'pay_1',
    failure: 'expired_card',
  });
});
