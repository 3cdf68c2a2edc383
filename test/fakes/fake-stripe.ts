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
  /** A webhook event: its bytes and its signature header. */
  event(type: string, object: object, signed?: { at?: number; secret?: string }): SignedEvent;
  close(): Promise<void>;
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
  const replies = new Map<string, { readonly sent: string; readonly body: object }>();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    void text(request).then((sent) => {
      const problem = problemOf(request, sent);
      if (problem)
        return answer(problem.status, { error: { type: 'invalid_request_error', message: problem.message } });
      const key = String(request.headers['idempotency-key']);
      const known = replies.get(key);
      if (known && known.sent !== sent) return answer(400, { error: { type: 'idempotency_error' } });
      const form = new URLSearchParams(sent);
      const id = `cs_test_${replies.size}`;
      const body = known?.body ?? { id, object: 'checkout.session', url: `https://checkout.stripe.test/${id}` };
      replies.set(key, { sent, body });
      sessions.set(String(form.get('client_reference_id')), form);
      return answer(200, body);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let events = 0;
  return {
    url,
    settings: { secretKey, webhookSecret, baseUrl: url },
    sessions,
    event: (type, object, { at = now(), secret = webhookSecret } = {}) => {
      const body = JSON.stringify({ id: `evt_${++events}`, object: 'event', type, data: { object } }, null, 2);
      const time = Math.floor(at / 1000);
      const hex = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
      return { body, signature: `t=${time},v1=${'0'.repeat(64)},v1=${hex},v0=ignored` };
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

function problemOf({ method, url, headers }: IncomingMessage, sent: string) {
  if (headers.authorization !== `Bearer ${secretKey}`) return { status: 401, message: 'Invalid API Key provided' };
  if (method !== 'POST' || url !== '/v1/checkout/sessions') return { status: 404, message: 'Unrecognized request URL' };
  if (!/^\d{4}-\d\d-\d\d/.test(String(headers['stripe-version']))) return { status: 400, message: 'Invalid version' };
  if (!headers['idempotency-key']) return { status: 400, message: 'The test wants a key' };
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return { status: 400, message: 'Not a form' };
  const form = new URLSearchParams(sent);
  const price = 'line_items[0][price_data]';
  if (form.get('mode') !== 'payment') return { status: 400, message: 'mode' };
  if (!/^[a-z]{3}$/.test(form.get(`${price}[currency]`) ?? '')) return { status: 400, message: 'Invalid currency' };
  if (!(Number(form.get(`${price}[unit_amount]`)) >= leastAmount)) return { status: 400, message: 'amount_too_small' };
  if (!form.get(`${price}[product_data][name]`)) return { status: 400, message: 'product_data[name]' };
  if (form.get('line_items[0][quantity]') !== '1') return { status: 400, message: 'quantity' };
  if (!URL.canParse(form.get('success_url') ?? '')) return { status: 400, message: 'Not a valid URL' };
  return undefined;
}
