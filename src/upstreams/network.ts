import type { LookupFunction } from 'node:net';
import type { ProxyFor } from '../config/schema/proxy.ts';
import type { UpstreamSpec } from '../config/schema/upstream.ts';
import { egressGuard } from './http1/egress-guard.ts';
import type { IdleOptions } from './http1/idle-connections.ts';

/** Network settings of this machine. */
export interface NetworkDeps {
  /** Resolves host names. The resolver of the system if left out. */
  readonly lookup?: LookupFunction | undefined;
  /** The proxies for upstreams without their own setting. None if left out. */
  readonly proxyFor?: ProxyFor | undefined;
  /** Called with the reason when this machine lacks the resources for a connection. */
  readonly onShortage?: ((message: string) => void) | undefined;
}

export type Network = Pick<IdleOptions, 'guard' | 'lookup' | 'proxyFor' | 'ca' | 'onShortage'>;

/** The network settings of one provider: allowed addresses, proxy and trusted certificates. */
export function networkOf(
  { egressAllow, proxy, ca }: Pick<UpstreamSpec, 'egressAllow' | 'proxy' | 'ca'>,
  { lookup, proxyFor, onShortage }: NetworkDeps,
): Network {
  return {
    guard: egressAllow && egressGuard(egressAllow),
    lookup,
    onShortage,
    ca,
    proxyFor: proxy === undefined ? proxyFor : () => (proxy === 'none' ? undefined : proxy),
  };
}
