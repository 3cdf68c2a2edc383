import { z } from 'zod';
import { randomBase62 } from '../../../money/accounts/base62.ts';
import { amount as amountSchema } from '../../../platform/config/schema/values/decimal.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { decimalText, nanoFrom } from '../../../core/money.ts';
import { minorUnits } from '../../../money/payments/minor-units.ts';
import { findPayment, listPayments, newPayment, type Payment, returnUrl } from '../../../money/payments/payments.ts';
import { accountAt } from '../accounts/accounts.ts';
import { ownAccount } from '../api/caller.ts';
import { actionEndpoint, type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused, invalidField } from '../api/sent-values.ts';
import { documentAs, moneySchema, timeSchema } from '../api/wire.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';

export const chargeFailureSchema = z
  .enum([
    ...(['declined', 'authentication_required', 'expired_card', 'insufficient_funds'] as const),
    ...(['refused', 'unreachable', 'canceled'] as const),
  ])
  .describe(
    'Why an automatic payment was not paid. `refused`: the payment provider rejected the call. `unreachable`: it did not answer, so the result is unknown. `canceled`: the card or the automatic top-up was removed before the charge.',
  );

const paymentSchema = z.strictObject({
  id: z.string().describe('Reference of its ledger entry.'),
  amount: moneySchema,
  currency: z.string(),
  state: z.enum(['open', 'paid', 'ended']).describe('`ended`: not paid, and no longer payable.'),
  refunded: moneySchema.describe('Amount that was refunded to the payer.'),
  by: z.string(),
  created_at: timeSchema,
  paid_at: timeSchema.nullable(),
  kind: z.enum(['checkout', 'automatic']).describe('`automatic`: made by the automatic top-up.'),
  failure: chargeFailureSchema.nullable(),
});

const termsSchema = z.strictObject({
  is_offered: z.boolean().describe('Whether payments are enabled.'),
  currency: z.string(),
  amount_min: moneySchema,
  amount_max: moneySchema,
  data: z.array(paymentSchema).describe('Your latest payments, newest first.'),
});

const paymentReply = { name: 'Payment', schema: paymentSchema };
const shownMax = 20;

export const paymentEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/payments', 'listOwnPayments', 'account', {
    summary: 'List your latest payments, and the limits of a payment.',
    reply: { name: 'Payments', schema: termsSchema, inside: [paymentReply] },
    run: async ({ parts, caller }) => {
      const { provider, amountMin, amountMax } = parts.payments();
      const latest = await listPayments(parts.store, ownAccount(caller), shownMax);
      return {
        is_offered: provider !== undefined,
        currency: parts.currency(),
        amount_min: decimalText(amountMin),
        amount_max: decimalText(amountMax),
        data: latest.map(paymentDocument),
      };
    },
  }),
  writeEndpoint('POST /account/v1/payments', 'beginPayment', 'account', {
    summary: 'Begin a payment. Nothing is paid yet: check it out to get the URL to pay at.',
    body: {
      name: 'NewPayment',
      schema: z.strictObject({
        amount: amountSchema.describe('A decimal in quotes, in the currency of the gateway.'),
      }),
    },
    reply: paymentReply,
    run: async ({ parts, caller, body }) => {
      const { name: provider } = providerOf(parts);
      const account = await accountAt(parts, ownAccount(caller));
      const amount = payable(parts, body.amount);
      const order = {
        id: `pay_${randomBase62(20)}`,
        accountId: account.id,
        currency: parts.currency(),
        by: caller.actor,
      };
      const after = paymentDocument(await newPayment(parts, { ...order, amount, provider }));
      return { reply: after, change: { kind: 'payment', id: order.id, after } };
    },
  }),
  actionEndpoint('POST /account/v1/payments/:id/checkout', 'checkOut', 'account', {
    summary:
      'Get the URL to pay at. Only for the user or token that began the payment. Further calls return the same URL.',
    reply: { name: 'Checkout', schema: z.strictObject({ url: z.url() }) },
    run: async ({ parts, caller, id, address }) => {
      const provider = providerOf(parts);
      const payment = await findPayment(parts.store, id);
      if (payment?.accountId !== ownAccount(caller)) throw missing('payment');
      // The provider sends the payer back to the host of the first call: only the payer may choose it.
      if (payment.by !== caller.actor) throw new GatewayError('forbidden', { reason: reason('payment_of_another') });
      if (payment.state !== 'open' || payment.kind === 'automatic') throw refused(reason('payment_over'));
      const url = await returnUrl(parts.store, id, address.url);
      return provider.checkout({
        paymentId: id,
        minorUnits: minorUnits(payment.amount, payment.currency) ?? 0,
        currency: payment.currency,
        title: `${decimalText(payment.amount)} ${payment.currency}`,
        paidUrl: `${url}/app/billing?paid=${id}`,
        leftUrl: `${url}/app/billing`,
      });
    },
  }),
];

export function providerOf(parts: AdminParts) {
  const { provider } = parts.payments();
  if (!provider) throw new GatewayError('not-found', { reason: reason('no_payments') });
  return provider;
}

export function payable(parts: AdminParts, text: string) {
  const { amountMin, amountMax } = parts.payments();
  const amount = nanoFrom(text);
  if (amount < amountMin || amount > amountMax) {
    throw invalidField('amount', broken('out_of_range', { min: decimalText(amountMin), max: decimalText(amountMax) }));
  }
  if (minorUnits(amount, parts.currency()) === undefined) {
    throw invalidField('amount', broken('not_a_payable_amount'));
  }
  return amount;
}

function paymentDocument(payment: Payment): z.input<typeof paymentSchema> {
  return documentAs(paymentSchema.shape, payment);
}
