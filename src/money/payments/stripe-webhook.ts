import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import type { CardSetUp, ChargeFailure, PaymentEvent } from './payment-provider.ts';

interface StripeWebhook {
  readonly body: Buffer;
  readonly signature: string;
  readonly secret: string;
  readonly now: number;
}

/** Verifies and decodes a webhook of Stripe. Throws if its signature is invalid. */
export function decodeStripeWebhook({
  body,
  signature,
  ...proof
}: StripeWebhook): PaymentEvent | CardSetUp | undefined {
  if (!isSigned(body, signature, proof)) {
    throw new GatewayError('invalid-request', { reason: reason('payment_signature_invalid') });
  }
  const event = eventSchema.safeParse(foreignJson(body.toString('utf8')));
  if (!event.success) throw new GatewayError('invalid-request', { reason: reason('payment_event_invalid') });
  return paymentEventOf(event.data.type, event.data.data.object);
}

const eventSchema = z.object({ type: z.string(), data: z.object({ object: z.record(z.string(), z.unknown()) }) });

/** An amount in minor units. The limit is above any payment, and the ledger can hold it in nano-units. */
const amount = z.int().min(0).max(9_000_000_000);

const metadata = z.record(z.string(), z.string());

const sessionSchema = z.object({
  client_reference_id: z.string().nullable(),
  payment_status: z.string(),
  amount_total: amount.nullable(),
  currency: z.string().nullable(),
  payment_intent: z.string().nullable(),
  setup_intent: z.string().nullish(),
  customer: z.string().nullish(),
  metadata: metadata.nullish(),
});
const chargeSchema = z.object({
  payment_intent: z.string().nullable(),
  amount_refunded: amount,
  metadata: metadata.optional(),
});
/** Error codes of a charge that failed: `code` is general, `decline_code` is the reason of the bank. */
export const cardErrorSchema = z.object({ code: z.string().nullish(), decline_code: z.string().nullish() });
export const intentSchema = z.object({
  id: z.string(),
  status: z.string(),
  amount_received: amount.optional(),
  currency: z.string(),
  metadata: metadata.nullish(),
  last_payment_error: cardErrorSchema.nullish(),
});
const disputeSchema = z.object({ id: z.string(), payment_intent: z.string().nullable(), amount });

/** A completed checkout may still wait for the money: only a paid one counts. */
function paymentEventOf(type: string, object: unknown): PaymentEvent | CardSetUp | undefined {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return completedSession(readAs(sessionSchema, type, object));
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
      return automaticPayment(readAs(intentSchema, type, object));
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

type Session = z.output<typeof sessionSchema>;

/** A session without a payment saves a card. It names the account and the user in its metadata. */
function completedSession(session: Session): PaymentEvent | CardSetUp | undefined {
  const { setup_intent: setup, customer } = session;
  const { card_of: accountId, by = '' } = session.metadata ?? {};
  if (accountId === undefined) return paidEvent(session);
  return setup ? { kind: 'card-set-up', accountId, by, setup, customer: customer ?? undefined } : undefined;
}

/** Checkouts are booked by the events of their sessions. */
function automaticPayment(intent: z.output<typeof intentSchema>): PaymentEvent | undefined {
  const paymentId = intent.metadata?.['payment'];
  if (paymentId === undefined || intent.metadata?.['automatic'] !== 'true') return undefined;
  if (intent.status !== 'succeeded')
    return { kind: 'failed', paymentId, failure: failureOf(intent.last_payment_error) };
  return { ...paidIntent(intent), paymentId };
}

export function paidIntent({ id: intent, amount_received: minorUnits = 0, currency }: z.output<typeof intentSchema>) {
  return { kind: 'paid', minorUnits, currency: currency.toUpperCase(), intent } as const;
}

const failures: Readonly<Record<string, ChargeFailure>> = {
  authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',
  expired_card: 'expired_card',
  insufficient_funds: 'insufficient_funds',
};

export function failureOf(error: z.output<typeof cardErrorSchema> | null | undefined): ChargeFailure {
  return failures[error?.decline_code ?? ''] ?? failures[error?.code ?? ''] ?? 'declined';
}

function paidEvent(session: Session): PaymentEvent | undefined {
  const { client_reference_id: paymentId, amount_total: minorUnits, currency, payment_intent: intent } = session;
  if (session.payment_status !== 'paid' || paymentId === null) return undefined;
  if (minorUnits === null || currency === null || intent === null) return undefined;
  return { kind: 'paid', paymentId, minorUnits, currency: currency.toUpperCase(), intent };
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
