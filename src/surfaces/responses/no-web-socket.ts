import { HttpFault } from '../../http/fault.ts';
import type { Route } from '../../http/route.ts';

/** `GET /v1/responses`: rejects a WebSocket upgrade with the status that makes clients fall back immediately. */
export const noWebSocket: Route = {
  method: 'GET',
  path: '/v1/responses',
  handle: (exchange) => {
    const isUpgrade = exchange.header('upgrade')?.toLowerCase() === 'websocket';
    if (isUpgrade) throw new HttpFault('upgrade-refused', undefined, ['upgrade', 'HTTP/1.1']);
    throw new HttpFault('method-not-allowed', 'Use POST for this path.', ['allow', 'POST, OPTIONS']);
  },
};
