import type { AdminParts } from '../admin/parts.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/time/clock.ts';
import { nanoFrom } from '../core/money.ts';
import type { Route } from '../http/route.ts';
import { bookPaymentEvent } from '../payments/payments.ts';
import { stripe } from '../payments/stripe.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Store } from '../store/store.ts';

/** The payment provider and the limits of the current configuration. */
export function paymentTerms({ payments }: Config, clock: Clock): ReturnType<AdminParts['payments']> {
  return {
    provider: payments.stripe && stripe(payments.stripe, clock),
    amountMin: nanoFrom(payments.amountMin),
    amountMax: nanoFrom(payments.amountMax),
  };
}

/** The webhook of the payment provider, authenticated by its signature. */
export function paymentRoutes(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly terms: AdminParts['payments'];
  readonly seller: AdminParts['seller'];
}): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/payments/stripe',
      handle: async (exchange) => {
        const { provider } = parts.terms();
        if (!provider) throw new GatewayError('not-found');
        const event = provider.decodeWebhook(await exchange.readBytes(), (name) => exchange.header(name));
        if (event) await bookPaymentEvent(parts.store, parts.clock, event, parts.seller());
        exchange.json(200, { received: true });
      },
    },
  ];
}
