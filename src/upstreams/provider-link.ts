import type { Clock } from '../core/time/clock.ts';
import type { AnswerParts } from './answer/answer.ts';
import { type HttpPool, httpPool } from './http1/pool.ts';
import { type NetworkDeps, networkOf } from './network.ts';
import { redactor } from './answer/redaction.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';

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
