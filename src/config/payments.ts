import { z } from 'zod';
import { amount } from './decimal.ts';

const stripeSchema = z.strictObject({
  secret_key: z
    .string()
    .min(1)
    .max(500)
    .describe('What this gateway proves itself to Stripe with.')
    .meta({ title: 'a secret', sample: '${STRIPE_SECRET_KEY}' }),
  webhook_secret: z
    .string()
    .min(1)
    .max(500)
    .describe('What Stripe signs its webhooks with. Have them sent to `/payments/stripe` on one of your domains.')
    .meta({ title: 'a secret', sample: '${STRIPE_WEBHOOK_SECRET}' }),
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .prefault('https://api.stripe.com')
    .describe('Where Stripe’s API is.')
    .meta({ title: 'an address', sample: 'https://api.stripe.com' }),
});

/** `payments:` of the file. */
export const paymentsSchema = z.strictObject({
  stripe: stripeSchema
    .optional()
    .describe('Takes money through Stripe Checkout ([payments.md](payments.md)). Without it nobody can pay here.'),
  amount_min: amount.prefault('5').describe('The least somebody can pay in at once, in the gateway’s currency.'),
  amount_max: amount.prefault('1000').describe('The most.'),
});
