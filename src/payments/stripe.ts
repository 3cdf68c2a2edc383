import { z } from 'zod';
import type { Clock } from '../core/time/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { CheckoutOrder, PaymentEvent, PaymentProvider } from './payment-provider.ts';
import { reason } from '../core/reasons/reason.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly baseUrl: string;
}

/** The API version of the schemas here, whatever the default of the Stripe account is. */
const apiVersion = '2024-06-20';
const timeoutMs = 20_000;
/** A reply contains only a checkout session. */
const replyCharactersMax = 1_000_000;

/** Stripe Checkout: the customer pays on Stripe's page, and signed webhooks report the result. */
export function stripe(settings: StripeSettings, clock: Pick<Clock, 'now'>): PaymentProvider {
  return {
    name: 'stripe',
    async checkout(order) {
      const reply = await fetch(`${settings.baseUrl}/v1/checkout/sessions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${settings.secretKey}`,
          'stripe-version': apiVersion,
          'idempotency-key': order.paymentId,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: sessionOf(order),
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((cause: unknown) => {
        throw unusable(cause);
      });
      const text = (await reply.text().catch(() => '')).slice(0, replyCharactersMax);
      const session = reply.ok ? sessionReply.safeParse(parsed(text)) : undefined;
      if (!session?.success) throw unusable(`Stripe returned ${reply.status}: ${text.slice(0, 500)}`);
      return { url: session.data.url };
    },
    decodeWebhook(body, header) {
      const { webhookSecret: secret } = settings;
      if (!isSigned(body, header('stripe-signature') ?? '', { secret, now: clock.now() })) {
        throw new GatewayError('invalid-request', { reason: reason('payment_signature_invalid') });
      }
      const event = eventSchema.safeParse(parsed(body.toString('utf8')));
      if (!event.success) throw new GatewayError('invalid-request', { reason: reason('payment_event_invalid') });
      return paymentEventOf(event.data.type, event.data.data.object);
    },
  };
}

const sessionReply = z.object({ url: z.url() });
const eventSchema = z.object({ type: z.string(), data: z.object({ object: z.record(z.string(), z.unknown()) }) });

function sessionOf({ paymentId, minorUnits, currency, title, paidUrl, leftUrl }: CheckoutOrder): URLSearchParams {
  return new URLSearchParams({
    mode: 'payment',
    client_reference_id: paymentId,
    'metadata[payment]': paymentId,
    'payment_intent_data[metadata][payment]': paymentId,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': String(minorUnits),
    'line_items[0][price_data][product_data][name]': title,
    success_url: paidUrl,
    cancel_url: leftUrl,
  });
}

/** An amount in minor units. The limit is above any payment, and the ledger can hold it in nano-units. */
const amount = z.int().min(0).max(9_000_000_000);

const sessionSchema = z.object({
  client_reference_id: z.string().nullable(),
  payment_status: z.string(),
  amount_total: amount.nullable(),
  currency: z.string().nullable(),
  payment_intent: z.string().nullable(),
});
const chargeSchema = z.object({
  payment_intent: z.string().nullable(),
  amount_refunded: amount,
  metadata: z.record(z.string(), z.string()).optional(),
});
const disputeSchema = z.object({ id: z.string(), payment_intent: z.string().nullable(), amount });

/** A completed checkout may still wait for the money: only a paid one counts. */
function paymentEventOf(type: string, object: unknown): PaymentEvent | undefined {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paidEvent(readAs(sessionSchema, type, object));
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      const { client_reference_id: paymentId } = readAs(sessionSchema, type, object);
      return paymentId === null ? undefined : { kind: 'ended', paymentId };
    }
    case 'charge.refunded': {
      const { payment_intent: intent, amount_refunded: minorUnits, metadata } = readAs(chargeSchema, type, object);
      if (intent === null) return undefined;
      return { kind: 'refunded', intent, paymentId: metadata?.['payment'], minorUnits };
    }
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const { id: disputeId, payment_intent: intent, amount: minorUnits } = readAs(disputeSchema, type, object);
      const kind = type === 'charge.dispute.funds_withdrawn' ? 'disputed' : 'dispute-won';
      return intent === null ? undefined : { kind, intent, disputeId, minorUnits };
    }
    default:
      return undefined;
  }
}

/** Decodes the object of an event. Throws an error that names the invalid fields. */
function readAs<Schema extends z.ZodType>(schema: Schema, type: string, object: unknown): z.output<Schema> {
  const read = schema.safeParse(object);
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path, message }) => `data.object.${path.join('.')}: ${message}`);
  throw new GatewayError('invalid-request', {
    reason: reason('payment_event_unbookable', { type, problems: wrong.join('; ') }),
  });
}

function paidEvent(session: z.output<typeof sessionSchema>): PaymentEvent | undefined {
  const { client_reference_id: paymentId, amount_total: minorUnits, currency, payment_intent: intent } = session;
  if (session.payment_status !== 'paid' || paymentId === null) return undefined;
  if (minorUnits === null || currency === null || intent === null) return undefined;
  return { kind: 'paid', paymentId, minorUnits, currency: currency.toUpperCase(), intent };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(cause: unknown): GatewayError {
  return new GatewayError('upstream-failed', { reason: reason('payment_provider_unreachable'), cause });
}

/** An older webhook may be a replay attack. */
const toleranceSeconds = 300;
/** There are two signatures while a secret is rotated. More than this are ignored. */
const signaturesMax = 10;

function isSigned(
  body: Buffer,
  header: string,
  { secret, now }: { readonly secret: string; readonly now: number },
): boolean {
  const pairs = header.split(',').map((pair) => pair.trim().split('=', 2));
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return pairs
    .filter(([name]) => name === 'v1')
    .slice(0, signaturesMax)
    .some(([, hex = '']) => {
      const given = Buffer.from(hex, 'hex');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
