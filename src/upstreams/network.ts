import type { LookupFunction } from 'node:net';
import type { ProxyFor } from '../config/proxy.ts';
import type { UpstreamSpec } from '../config/upstream.ts';
import { egressGuard } from './http1/egress-guard.ts';
import type { IdleOptions } from './http1/idle-connections.ts';

/** What this machine says about the way to providers. */
export interface NetworkDeps {
  /** How names of hosts are looked up; as the system does it if left out. */
  readonly lookup?: LookupFunction | undefined;
  /** The proxies to use where an upstream says nothing; none if left out. */
  readonly proxyFor?: ProxyFor | undefined;
  /** Hears why this machine could not make a connection. */
  readonly onShortage?: ((message: string) => void) | undefined;
}

export type Network = Pick<IdleOptions, 'guard' | 'lookup' | 'proxyFor' | 'ca' | 'onShortage'>;

/** How one provider is reached: where connections may go, by which proxy, and who vouches for it. */
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
