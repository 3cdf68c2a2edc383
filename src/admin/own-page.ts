import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { isSameOrigin } from '../http/origin.ts';

/** Refuses what a page elsewhere had the browser send. */
export function requireOwnPage(exchange: Exchange): void {
  if (!isSameOrigin(exchange)) throw new GatewayError('forbidden', { detail: otherPage });
}

const otherPage =
  'The Origin header is missing or names another site. Changes with a session are taken from the dashboard’s own pages only.';
