import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The used part of Stripe, as strict as the real one: keys, version, form encoding, idempotency, minimum amounts. */
export interface FakeStripe {
  readonly url: string;
  readonly settings: { readonly secretKey: string; readonly webhookSecret: string; readonly baseUrl: string };
  /** The created sessions, by the id of their payment. */
  readonly sessions: ReadonlyMap<string, URLSearchParams>;
  /** Saves a card as if a customer had used the page of a set-up. Returns the object of its webhook. */
  saveCard(accountId: string, card?: FakeCard): object;
  /** The attached cards by id, and the charges to them in their order. */
  readonly cards: ReadonlyMap<string, FakeCard>;
  readonly charges: readonly {
    readonly payment: string | null;
    readonly amount: string | null;
    readonly card: string;
  }[];
  /** A webhook event: its bytes and its signature header. */
  event(type: string, object: object, signed?: { at?: number; secret?: string }): SignedEvent;
  close(): Promise<void>;
}

export interface FakeCard {
  readonly last4: string;
  /** Why the bank declines charges. */
  readonly decline?: string;
}

export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

const secretKey = 'sk_test_canary';
const webhookSecret = 'whsec_canary';
const leastAmount = 50;

export async function fakeStripe(now: () => number): Promise<FakeStripe> {
  const sessions = new Map<string, URLSearchParams>();
  const cards = new Map<string, FakeCard>();
  const setups = new Map<string, string>();
  const charges: { payment: string | null; amount: string | null; card: string }[] = [];
  const replies = new Map<string, { readonly sent: string; readonly status: number; readonly body: object }>();

  function sessionOf(form: URLSearchParams): FakeReply {
    const problem = sessionProblem(form);
    if (problem) return refusal(400, problem);
    const id = `cs_test_${sessions.size}`;
    sessions.set(form.get('client_reference_id') ?? form.get('metadata[card_of]') ?? '', form);
    return { status: 200, body: { id, object: 'checkout.session', url: `https://checkout.stripe.test/${id}` } };
  }

  function chargeOf(form: URLSearchParams): FakeReply {
    if (form.get('confirm') !== 'true' || form.get('off_session') !== 'true') return refusal(400, 'confirm');
    if (!(Number(form.get('amount')) >= leastAmount)) return refusal(400, 'amount_too_small');
    const card = form.get('payment_method') ?? '';
    const decline = cards.get(card)?.decline;
    if (!cards.has(card) || !form.get('customer')) return refusal(400, 'No such PaymentMethod');
    const error = { type: 'card_error', code: 'card_declined', decline_code: decline };
    if (decline !== undefined) return { status: 402, body: { error } };
    const [payment, amount] = [form.get('metadata[payment]'), form.get('amount')];
    charges.push({ payment, amount, card });
    const intent = { id: `pi_auto_${charges.length}`, amount_received: Number(amount), currency: form.get('currency') };
    return { status: 200, body: { object: 'payment_intent', status: 'succeeded', ...intent } };
  }

  function setupOf(id: string): FakeReply {
    const card = setups.get(id) ?? '';
    const shown = { brand: 'visa', last4: cards.get(card)?.last4, exp_month: 4, exp_year: 2031 };
    const payment_method = { id: card, customer: 'cus_1', card: shown };
    return { status: 200, body: { id, status: 'succeeded', created: Math.floor(now() / 1000), payment_method } };
  }

  function replyTo(path: string, form: URLSearchParams): FakeReply {
    const [, noun, id = '', verb] = /^\/v1\/(\w+)(?:\/(\w+))?(?:\/(\w+))?(?:\?.*)?$/.exec(path) ?? [];
    if (path === '/v1/checkout/sessions') return sessionOf(form);
    if (path === '/v1/payment_intents') return chargeOf(form);
    if (noun === 'setup_intents') return setupOf(id);
    if (noun !== 'payment_methods' || verb !== 'detach') return refusal(404, 'Unrecognized request URL');
    return cards.delete(id) ? { status: 200, body: { id } } : refusal(400, 'The payment method is not attached');
  }

  const server = createServer((request, response) => {
    const answer = ({ status, body }: FakeReply): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    void text(request).then((sent) => {
      const problem = problemOf(request);
      if (problem) return answer(problem);
      const key = String(request.headers['idempotency-key']);
      const known = request.headers['idempotency-key'] === undefined ? undefined : replies.get(key);
      if (known && known.sent !== sent) return answer({ status: 400, body: { error: { type: 'idempotency_error' } } });
      const reply = known ?? replyTo(request.url ?? '', new URLSearchParams(sent));
      if (reply.status !== 400) replies.set(key, { sent, ...reply });
      return answer(reply);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let events = 0;
  return {
    url,
    settings: { secretKey, webhookSecret, baseUrl: url },
    sessions,
    cards,
    charges,
    saveCard: (accountId, card = { last4: '4242' }) => {
      const setup = `seti_${setups.size + 1}`;
      setups.set(setup, `pm_${setups.size + 1}`);
      cards.set(setups.get(setup) ?? '', card);
      const session = { client_reference_id: null, payment_status: 'no_payment_required', amount_total: null };
      const metadata = { card_of: accountId, by: 'ann@example.com' };
      return { ...session, currency: null, payment_intent: null, setup_intent: setup, customer: 'cus_1', metadata };
    },
    event: (type, object, { at = now(), secret = webhookSecret } = {}) => {
      const body = JSON.stringify({ id: `evt_${++events}`, object: 'event', type, data: { object } }, null, 2);
      const time = Math.floor(at / 1000);
      const hex = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
      return { body, signature: `t=${time},v1=${'0'.repeat(64)},v1=${hex},v0=ignored` };
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

interface FakeReply {
  readonly status: number;
  readonly body: object;
}

function refusal(status: number, message: string): FakeReply {
  return { status, body: { error: { type: 'invalid_request_error', message } } };
}

function problemOf({ method, url, headers }: IncomingMessage): FakeReply | undefined {
  if (headers.authorization !== `Bearer ${secretKey}`) return refusal(401, 'Invalid API Key provided');
  if (!/^\d{4}-\d\d-\d\d/.test(String(headers['stripe-version']))) return refusal(400, 'Invalid version');
  if (method !== 'POST') return url?.startsWith('/v1/setup_intents/') ? undefined : refusal(404, 'Not a GET');
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return refusal(400, 'Not a form');
  if (url === '/v1/payment_intents' && !headers['idempotency-key']) return refusal(400, 'The test wants a key');
  return undefined;
}

function sessionProblem(form: URLSearchParams): string | undefined {
  if (!URL.canParse(form.get('success_url') ?? '')) return 'Not a valid URL';
  if (form.get('mode') === 'setup') return form.get('payment_method_types[0]') === 'card' ? undefined : 'currency';
  const price = 'line_items[0][price_data]';
  if (form.get('mode') !== 'payment') return 'mode';
  if (!/^[a-z]{3}$/.test(form.get(`${price}[currency]`) ?? '')) return 'Invalid currency';
  if (!(Number(form.get(`${price}[unit_amount]`)) >= leastAmount)) return 'amount_too_small';
  if (!form.get(`${price}[product_data][name]`)) return 'product_data[name]';
  if (form.get('line_items[0][quantity]') !== '1') return 'quantity';
  return undefined;
}
