import type { LookupFunction } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { AnswerParts } from './answer.ts';
import { egressGuard } from './http1/egress-guard.ts';
import { type HttpPool, httpPool } from './http1/pool.ts';
import { redactor } from './redaction.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';

export interface LinkDeps {
  readonly clock: Clock;
  /** How names of hosts are looked up; as the system does it if left out. */
  readonly lookup?: LookupFunction | undefined;
  /** Hears why this machine could not make a connection. */
  readonly onShortage?: ((message: string) => void) | undefined;
}

/** The connections to one provider, and what all its answers have in common whatever format they come in. */
export interface ProviderLink {
  readonly answers: Omit<AnswerParts, 'streamDecoder' | 'decodeBody'>;
  /** Connections to one address; the same ones for the same address. */
  poolAt(origin: URL): HttpPool;
  close(): void;
}

export function providerLink(spec: ResolvedUpstream, { clock, lookup, onShortage }: LinkDeps): ProviderLink {
  const { name: upstream, timeouts } = spec;
  const guard = spec.egressAllow && egressGuard(spec.egressAllow);
  const pools = new Map<string, HttpPool>();
  return {
    answers: { upstream, clock, timeouts, redact: redactor([...spec.apiKeys, ...Object.values(spec.headers)]) },
    poolAt(origin) {
      const known = pools.get(origin.href);
      if (known) return known;
      const pool = httpPool({ origin, clock, connectTimeoutMs: timeouts.connect, guard, lookup, onShortage });
      pools.set(origin.href, pool);
      return pool;
    },
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}
