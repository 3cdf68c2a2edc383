import { createHmac } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import type { ProxyFor } from '../../../platform/config/schema/proxy.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { OutboxEvent } from '../../../core/outbox-event.ts';
import { EgressError, egressGuard } from '../../../serving/upstreams/http1/egress-guard.ts';
import { TransportFault } from '../../../serving/upstreams/http1/transport-fault.ts';
import { fetchText } from '../../../serving/upstreams/http1/fetch-text.ts';
import type { DeliveryFault, Result } from '../delivery.ts';

export interface WebhookMessage {
  readonly url: string;
  readonly event: OutboxEvent;
  readonly currency: string;
  /** Signing secrets, the newer first. */
  readonly secrets: readonly string[];
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Private addresses that are allowed; undefined: every address is allowed. */
  readonly allow: readonly string[] | undefined;
}

export interface WebhookNetwork {
  readonly clock: Clock;
  readonly proxyFor?: ProxyFor | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly onShortage?: ((message: string) => void) | undefined;
}

const timeoutMs = 10_000;
const connectTimeoutMs = 5000;
const answerBytesMax = 65_536;

/** Makes one attempt. Faults of the network or the endpoint are returned, not thrown. */
export async function sendWebhook(message: WebhookMessage, network: WebhookNetwork): Promise<Result> {
  const { url, event, secrets, attempt, allow } = message;
  if (secrets.length === 0) return { fault: 'no-secret' };
  const body = webhookBody(event, message.currency);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'chat-gateway-webhooks',
    'idempotency-key': event.id,
    'x-gateway-event-id': event.id,
    'x-gateway-event-type': event.kind,
    'x-gateway-delivery-attempt': String(attempt),
    'x-gateway-signature': signature(body, secrets, network.clock.now()),
  };
  const bounds = { timeoutMs, connectTimeoutMs, bytesMax: answerBytesMax, ignoresBody: true };
  try {
    const guard = allow && egressGuard(allow);
    const { head } = await fetchText(new URL(url), { ...network, ...bounds, guard, headers }, body);
    const { status } = head;
    return status >= 200 && status < 300 ? { status } : { status, fault: 'status' };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

/** Returns the same bytes at every attempt. */
export function webhookBody({ id, kind, accountId, at, data }: OutboxEvent, currency: string): string {
  const head = { id, type: kind, created_at: new Date(at).toISOString(), account_id: accountId ?? null, currency };
  return JSON.stringify({ ...head, data });
}

/**
 * Proves the sender and the time of a body: `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>` with the
 * secret of the endpoint. While two secrets are valid there is a `v1` for each, the newer one first.
 */
function signature(body: string, secrets: readonly string[], atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const proofs = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
  );
  return [`t=${seconds}`, ...proofs].join(',');
}

function faultOf(error: unknown): DeliveryFault {
  if (!(error instanceof TransportFault)) return 'unreachable';
  if (error.cause instanceof EgressError) return 'address-refused';
  return error.reason === 'connect-timeout' || /within/.test(error.message) ? 'timeout' : 'unreachable';
}
