import type { Clock } from '../../core/time/clock.ts';
import { type HttpPool, httpPool } from '../http1/pool.ts';
import type { Network } from '../provider-link.ts';
import { BridgeCall, type BridgeExpectations } from './bridge-call.ts';

export interface BridgeHttpOptions extends Network {
  readonly upstream: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly redact: (text: string) => string;
}

/**
 * Connects provider packages to their provider through the gateway's own HTTP client. The egress guard, the connect
 * timeout, the pool and the ban on redirects apply to them as to all other upstreams.
 */
export class BridgeHttp {
  readonly #options: BridgeHttpOptions;
  readonly #pools = new Map<string, HttpPool>();
  #isClosed = false;

  constructor(options: BridgeHttpOptions) {
    this.#options = options;
  }

  /** Returns the network access of one call. Its connections are closed with it. */
  call(expected: BridgeExpectations = {}): BridgeCall {
    return new BridgeCall(this.#options, (origin) => this.#poolAt(origin), expected);
  }

  close(): void {
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.close();
  }

  #poolAt(origin: string): HttpPool {
    const pool = this.#pools.get(origin) ?? httpPool({ ...this.#options, origin: new URL(origin) });
    this.#pools.set(origin, pool);
    if (this.#isClosed) pool.close();
    return pool;
  }
}
