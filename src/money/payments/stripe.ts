import { z } from 'zod';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import type {
  CardSetUp,
  CardSetUpOrder,
  ChargeOrder,
  ChargeResult,
  CheckoutOrder,
  PaymentProvider,
  ProviderCard,
} from './payment-provider.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { cardErrorSchema, decodeStripeWebhook, failureOf, intentSchema, paidIntent } from './stripe-webhook.ts';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly baseUrl: string;
}

/** The API version of the schemas here, whatever the default of the Stripe account is. */
const apiVersion = '2024-06-20';
const timeoutMs = 20_000;
/** A reply contains only one object. */
const replyCharactersMax = 1_000_000;

/** Stripe: the customer pays or saves a card on Stripe's page, and signed webhooks report the result. */
export function stripe(settings: StripeSettings, clock: Pick<Clock, 'now'>): PaymentProvider {
  const send = (call: StripeCall) => reach(settings, call);
  return {
    name: 'stripe',
    checkout: async (order) =>
      pageOf(await send({ path: 'checkout/sessions', form: sessionOf(order), idempotencyKey: order.paymentId })),
    setUpCard: async (order) => pageOf(await send({ path: 'checkout/sessions', form: setUpSessionOf(order) })),
    cardOf: async (report) => cardFrom(await send({ path: setUpPath(report) }), report),
    async forgetCard(card) {
      const reply = await send({ path: `payment_methods/${encodeURIComponent(card)}/detach`, form: {} });
      // Stripe answers 400 or 404 for a card that it has detached before or does not have.
      if (!reply.isOk && reply.status !== 400 && reply.status !== 404) throw unusable(reply);
    },
    charge: async (order, signal) => {
      const { paymentId: idempotencyKey } = order;
      return resultOf(await send({ path: 'payment_intents', form: intentOf(order), idempotencyKey, signal }));
    },
    decodeWebhook: (body, header) =>
      decodeStripeWebhook({
        body,
        signature: header('stripe-signature') ?? '',
        secret: settings.webhookSecret,
        now: clock.now(),
      }),
  };
}

type Form = Readonly<Record<string, string>>;

interface StripeCall {
  readonly path: string;
  /** Sent with POST. Without it, the call is a GET. */
  readonly form?: Form;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface StripeReply {
  readonly isOk: boolean;
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
}

/** Throws only if no reply arrives. */
async function reach(settings: StripeSettings, call: StripeCall): Promise<StripeReply> {
  const { path, form, idempotencyKey, signal } = call;
  const timeout = AbortSignal.timeout(timeoutMs);
  const reply = await fetch(`${settings.baseUrl}/v1/${path}`, {
    method: form ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${settings.secretKey}`,
      'stripe-version': apiVersion,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form && { body: new URLSearchParams(form) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((cause: unknown) => {
    throw new GatewayError('upstream-failed', { reason: reason('payment_provider_unreachable'), cause });
  });
  const text = (await reply.text().catch(() => '')).slice(0, replyCharactersMax);
  return { isOk: reply.ok, status: reply.status, text, value: foreignJson(text) };
}

const pageSchema = z.object({ url: z.url() });

function pageOf(reply: StripeReply): { readonly url: string } {
  const page = reply.isOk ? pageSchema.safeParse(reply.value) : undefined;
  if (!page?.success) throw unusable(reply);
  return { url: page.data.url };
}

function sessionOf({ paymentId, minorUnits, currency, title, paidUrl, leftUrl }: CheckoutOrder): Form {
  return {
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
  };
}

/** Without a payment. Stripe saves the card for charges while its owner is away. */
function setUpSessionOf({ accountId, by, customer, savedUrl, leftUrl }: CardSetUpOrder): Form {
  return {
    mode: 'setup',
    'payment_method_types[0]': 'card',
    'metadata[card_of]': accountId,
    'metadata[by]': by,
    ...(customer === undefined ? { customer_creation: 'always' } : { customer }),
    success_url: savedUrl,
    cancel_url: leftUrl,
  };
}

function setUpPath({ setup }: CardSetUp): string {
  return `setup_intents/${encodeURIComponent(setup)}?expand[]=payment_method`;
}

const setUpSchema = z.object({
  status: z.string(),
  created: z.int(),
  customer: z.string().nullish(),
  payment_method: z
    .object({
      id: z.string(),
      customer: z.string().nullish(),
      card: z.object({ brand: z.string(), last4: z.string().max(4), exp_month: z.int(), exp_year: z.int() }).nullish(),
    })
    .nullish(),
});

/** Undefined if nothing was saved, or something other than a card. */
function cardFrom(reply: StripeReply, report: CardSetUp): ProviderCard | undefined {
  const read = reply.isOk ? setUpSchema.safeParse(reply.value) : undefined;
  if (!read?.success) throw unusable(reply);
  const { status, created, payment_method: method } = read.data;
  const customer = report.customer ?? method?.customer ?? read.data.customer;
  if (status !== 'succeeded' || !method?.card || !customer) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
  return { card: method.id, customer, brand, last4, expMonth, expYear, setUpAt: created * 1000 };
}

function intentOf({ paymentId, minorUnits, currency, customer, card, title }: ChargeOrder): Form {
  return {
    amount: String(minorUnits),
    currency: currency.toLowerCase(),
    customer,
    payment_method: card,
    'payment_method_types[0]': 'card',
    confirm: 'true',
    off_session: 'true',
    description: title,
    'metadata[payment]': paymentId,
    'metadata[automatic]': 'true',
  };
}

const chargeErrorSchema = z.object({ error: cardErrorSchema.extend({ type: z.string() }) });
/** Statuses of refusals that a repeated call may not get: wrong keys, conflicts and rate limits. */
const passingStatuses: readonly number[] = [401, 403, 408, 409, 425, 429];

/** Throws if it is unknown whether the card is charged, or if the next call may get another answer. */
function resultOf(reply: StripeReply): ChargeResult {
  const intent = reply.isOk ? intentSchema.safeParse(reply.value) : undefined;
  if (intent?.success) {
    const { status } = intent.data;
    if (status === 'succeeded') return paidIntent(intent.data);
    if (status === 'requires_action') return { kind: 'failed', failure: 'authentication_required' };
    return status === 'processing' ? { kind: 'pending' } : { kind: 'failed', failure: 'declined' };
  }
  const refusal = chargeErrorSchema.safeParse(reply.value);
  const isFinal = reply.status >= 400 && reply.status < 500 && !passingStatuses.includes(reply.status);
  if (!refusal.success || !isFinal) throw unusable(reply);
  const { error } = refusal.data;
  if (error.type === 'idempotency_error') throw unusable(reply);
  return { kind: 'failed', failure: error.type === 'card_error' ? failureOf(error) : 'refused' };
}

/** No usable reply. A client error is permanent: the settings are wrong, or Stripe does not allow the request. */
function unusable(reply: StripeReply): GatewayError {
  const { status, text } = reply;
  const isRefused = status >= 400 && status < 500 && !passingStatuses.includes(status);
  const why =
    isRefused || status === 401 || status === 403 ? 'payment_provider_refused' : 'payment_provider_unreachable';
  const cause = `Stripe returned ${status}: ${text.slice(0, 500)}`;
  return new GatewayError('upstream-failed', { reason: reason(why), cause });
}
