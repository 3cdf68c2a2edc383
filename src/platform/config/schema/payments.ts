import { optional, z } from 'zod';
import { text, webUrl } from './fields.ts';
import { amount } from './values/decimal.ts';

const stripeSchema = z.strictObject({
  secret_key: text(1, 500)
    .describe('Key with which the gateway authenticates to Stripe.')
    .meta({ title: 'a secret', sample: '${STRIPE_SECRET_KEY}' }),
  webhook_secret: text(1, 500)
    .describe(
      'Secret with which Stripe signs its webhooks. Configure Stripe to send them to `/payments/stripe` on one of your domains.',
    )
    .meta({ title: 'a secret', sample: '${STRIPE_WEBHOOK_SECRET}' }),
  base_url: webUrl
    .max(500)
    .prefault('https://api.stripe.com')
    .describe('Address of the Stripe API.')
    .meta({ title: 'an address', sample: 'https://api.stripe.com' }),
});

export const paymentsSchema = z.strictObject({
  stripe: optional(stripeSchema).describe(
    'Accepts payments through Stripe: checkouts, saved cards and automatic top-ups ([payments.md](payments.md)). Without it, the gateway takes no payments.',
  ),
  amount_min: amount
    .prefault('5')
    .describe('Smallest amount of one payment or automatic top-up, in the gateway’s currency.'),
  amount_max: amount.prefault('1000').describe('Largest amount of one payment.'),
});
