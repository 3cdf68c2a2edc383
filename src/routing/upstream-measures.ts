import type { LiveUpstream } from './candidates/candidates.ts';
import type { HealthStatus } from './health/health.ts';
import { effectiveLimit } from './upstream-report.ts';

/** The metrics of an upstream at one moment, in this process. */
export interface UpstreamMeasures {
  readonly name: string;
  readonly running: number;
  /** How many answers may run in this process. */
  readonly allowed: number;
  /** How many may run at once in all processes that share the upstream, as far as it was learned. */
  readonly limit: number;
  readonly waitingByPackage: ReadonlyMap<string, number>;
  /** Jain's index over the service of waiting accounts; `undefined` while there is nothing to compare. */
  readonly fairness: number | undefined;
  readonly healthStatuses: readonly HealthStatus[];
}

export function upstreamMeasures(upstream: LiveUpstream): UpstreamMeasures {
  const { adapter, queue, credentials } = upstream;
  return {
    name: adapter.name,
    running: queue.running,
    allowed: queue.allowed,
    limit: effectiveLimit(upstream),
    waitingByPackage: queue.waitingByPackage(),
    fairness: queue.snapshot().fairness,
    healthStatuses: credentials.map(({ healthStatus }) => healthStatus),
  };
}
