/** How the upstreams are doing, as the gateway tells it to operators. Times are wall-clock milliseconds. */
export interface FleetHealth {
  readonly upstreams: readonly UpstreamHealth[];
  readonly retries: { readonly inUse: number; readonly limit: number };
}

export interface UpstreamHealth {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  readonly credentials: readonly CredentialHealth[];
}

export interface CredentialHealth {
  readonly index: number;
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  readonly outUntil: number | undefined;
  readonly pausedUntil: number | undefined;
  readonly running: number;
  readonly latencyMs: number | undefined;
  readonly failures: number;
  readonly lastError: string | undefined;
  readonly lastErrorAt: number | undefined;
}
