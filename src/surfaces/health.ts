import { GatewayError } from '../core/gateway-error.ts';
import type { Route } from '../http/route.ts';
import { publicError } from './envelope.ts';

/** A condition for accepting new requests. */
export interface ReadinessCheck {
  readonly name: string;
  /** The problem, as a sentence; undefined if the check passes. */
  readonly problem: string | undefined;
  /** A remark although the check passes. */
  readonly note?: string | undefined;
}

/** Paths for orchestrators and load balancers. They need no key, and do not call a provider or the store. */
export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `GET /healthz` succeeds while the process runs. `GET /readyz` returns whether it accepts requests, and why not. */
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
