import type { LookupFunction } from 'node:net';
import type { Clock } from '../core/time/clock.ts';
import type { AnswerParts } from './answer/answer.ts';
import { type HttpPool, httpPool } from './http1/pool.ts';
import { redactor } from './answer/redaction.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';
import type { ProxyFor } from '../config/schema/proxy.ts';
import type { UpstreamSpec } from '../config/schema/upstream.ts';
import { egressGuard } from './http1/egress-guard.ts';
import type { IdleOptions } from './http1/idle-connections.ts';
import { requestTarget } from './http1/request-text.ts';

export interface LinkDeps extends NetworkDeps {
  readonly clock: Clock;
}

/** The connections to one provider, and the settings that its answers share in every format. */
export interface ProviderLink {
  readonly answers: Omit<AnswerParts, 'streamDecoder' | 'decodeBody'>;
  /** Returns the pool for an address. The same address always has the same pool. */
  poolAt(origin: URL): HttpPool;
  close(): void;
}

export function providerLink(spec: ResolvedUpstream, deps: LinkDeps): ProviderLink {
  const { clock } = deps;
  const { name: upstream, timeouts } = spec;
  const network = networkOf(spec, deps);
  const pools = new Map<string, HttpPool>();
  return {
    answers: { upstream, clock, timeouts, redact: redactor([...spec.apiKeys, ...Object.values(spec.headers)]) },
    poolAt(origin) {
      const known = pools.get(origin.href);
      if (known) return known;
      const pool = httpPool({ origin, clock, connectTimeoutMs: timeouts.connect, ...network });
      pools.set(origin.href, pool);
      return pool;
    },
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}

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

/** The address of one endpoint of a provider. */
export interface ProviderAddress {
  readonly origin: URL;
  readonly host: string;
  readonly target: string;
}

/** Returns the address of a path below a base address. Keeps its query, because some providers put a version there. */
export function providerAddress(baseUrl: string, path: string): ProviderAddress {
  const address = new URL(baseUrl);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return { origin: new URL(address.origin), host: address.host, target: requestTarget(address) };
}
