import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { isSameOrigin } from '../http/origin.ts';
import { reason } from '../core/reasons/reason.ts';

/** Refuses what a page elsewhere had the browser send. */
export function requireOwnPage(exchange: Exchange): void {
  if (!isSameOrigin(exchange)) throw new GatewayError('forbidden', { reason: reason('wrong_origin') });
}
