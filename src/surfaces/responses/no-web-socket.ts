import { HttpFault } from '../../http/fault.ts';
import type { Route } from '../../http/route.ts';

/** `GET /v1/responses`: who wants a WebSocket is told that there is none, in the one way that makes clients fall back at once. */
export const noWebSocket: Route = {
  method: 'GET',
  path: '/v1/responses',
  handle: (exchange) => {
    const isUpgrade = exchange.header('upgrade')?.toLowerCase() === 'websocket';
    if (isUpgrade) throw new HttpFault('upgrade-refused', undefined, ['upgrade', 'HTTP/1.1']);
    throw new HttpFault('method-not-allowed', 'Here the method must be POST.', ['allow', 'POST, OPTIONS']);
  },
};
