import type { Clock } from '../../core/time/clock.ts';
import type { CallParts } from './answer/refused-response.ts';
import { HttpPools } from './http1/pool.ts';
import { redactor } from './answer/redaction.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';
import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import { egressGuard } from './http1/egress-guard.ts';
import type { IdleOptions } from './http1/idle-connections.ts';
import { type HeaderLines, headerLines, requestTarget } from './http1/request-text.ts';
import { type RequestSigner, requestSigner } from './auth/request-signer.ts';

export interface LinkDeps extends NetworkDeps {
  readonly clock: Clock;
  /** Creates ids for tool calls that have none. */
  readonly newId: () => string;
}

/** The connections to one provider, and the settings that its answers share in every format. */
export interface ProviderLink {
  readonly answers: CallParts;
  readonly pools: HttpPools;
  /** For a provider whose requests need headers of their own: a signature or an access token. */
  readonly signer: RequestSigner | undefined;
}

export function providerLink(spec: ResolvedUpstream, deps: LinkDeps): ProviderLink {
  const { clock } = deps;
  const { name: upstream, timeouts } = spec;
  const pools = new HttpPools({ clock, connectTimeoutMs: timeouts.connect, ...networkOf(spec, deps) });
  const signer = requestSigner(spec, { clock, pools });
  const hide = redactor([...spec.apiKeys, ...Object.values(spec.headers)]);
  const redact = signer ? (text: string): string => hide(signer.redact(text)) : hide;
  return { answers: { upstream, clock, timeouts, redact }, pools, signer };
}

/** Adds the header lines that only the signer can compute, for exactly this address and body. */
export function signedLines(
  { signer }: Pick<ProviderLink, 'signer'>,
  lines: HeaderLines,
  { host, target }: ProviderAddress,
  body: string | Buffer,
): HeaderLines {
  return signer ? ((lines + headerLines(signer.headersFor({ host, target, body }))) as HeaderLines) : lines;
}

/** Network settings of this machine. Its proxies are for upstreams without their own setting. */
type NetworkDeps = Pick<IdleOptions, 'lookup' | 'proxyFor' | 'onShortage'>;

export type Network = NetworkDeps & Pick<IdleOptions, 'guard' | 'ca'>;

/** The network settings of one provider: allowed addresses, proxy and trusted certificates. */
export function networkOf(
  { egressAllow, proxy, ca }: Pick<UpstreamSpec, 'egressAllow' | 'proxy' | 'ca'>,
  { lookup, proxyFor, onShortage }: NetworkDeps,
): Network {
  return {
    lookup,
    onShortage,
    ca,
    guard: egressAllow && egressGuard(egressAllow),
    proxyFor: proxy === undefined ? proxyFor : () => (proxy === 'none' ? undefined : proxy),
  };
}

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
