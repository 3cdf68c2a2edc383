import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { isSameOrigin } from '../../../serving/http/origin.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Refuses requests that a page of another origin made the browser send. */
export function requireOwnPage(exchange: Exchange): void {
  if (!isSameOrigin(exchange)) throw new GatewayError('forbidden', { reason: reason('wrong_origin') });
}
