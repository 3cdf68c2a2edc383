import { GatewayError } from '../core/gateway-error.ts';
import type { Route } from '../http/route.ts';
import { publicError } from './envelope.ts';

/** Something that must be true for new requests to be welcome. */
export interface ReadinessCheck {
  readonly name: string;
  /** What is wrong, as a sentence; nothing if all is well. */
  readonly problem: string | undefined;
  /** What is worth knowing although nothing is wrong. */
  readonly note?: string | undefined;
}

/** Where orchestrators and load balancers ask: none of it needs a key, none of it reaches a provider or the store. */
export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `GET /healthz` answers while the process lives; `GET /readyz` says whether it wants more requests, and why not. */
export function healthRoutes(checks: () => readonly ReadinessCheck[]): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', handle: (exchange) => exchange.json(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      handle: (exchange) => {
        const results = checks();
        const body = {
          checks: Object.fromEntries(results.map(({ name, problem, note }) => [name, problem ?? note ?? 'ok'])),
        };
        const [first] = results.filter(({ problem }) => problem !== undefined);
        if (!first) return exchange.json(200, { status: 'ok', ...body });
        const { status, code, message, type } = publicError(
          new GatewayError('not-ready', { detail: first.problem }),
          exchange.id,
        );
        exchange.json(status, { status: 'not ready', ...body, error: { code, message, type } });
      },
    },
  ];
}
