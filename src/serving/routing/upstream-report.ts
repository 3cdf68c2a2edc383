import type { Clock } from '../../core/time/clock.ts';
import type { Credential } from './health/credential.ts';
import type { HealthStatus } from './health/health.ts';
import type { LiveUpstream } from './candidates/candidates.ts';

/** The state of an upstream in this process. Times are wall-clock milliseconds. */
export interface UpstreamReport {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  readonly credentials: readonly CredentialReport[];
}

export interface CredentialReport {
  /** Its index in the configuration, from 0. */
  readonly index: number;
  readonly state: HealthStatus;
  /** When it may be tried again, if it is out of use. */
  readonly outUntil: number | undefined;
  readonly pausedUntil: number | undefined;
  readonly running: number;
  readonly latencyMs: number | undefined;
  readonly failures: number;
  readonly lastError: string | undefined;
  readonly lastErrorAt: number | undefined;
}

export function upstreamReport(upstream: LiveUpstream, clock: Clock): UpstreamReport {
  const { running, waiting } = upstream.queue;
  const limit = effectiveLimit(upstream);
  const credentials = upstream.credentials.map((credential) => credentialReport(credential, clock));
  return { name: upstream.adapter.name, running, waiting, limit, credentials };
}

/** How many answers may run at once, as far as it was learned: each credential counts with its highest model limit. */
export function effectiveLimit({ queue, credentials }: LiveUpstream): number {
  return Math.min(
    queue.limit,
    credentials.reduce((sum, credential) => sum + credential.limit, 0),
  );
}

function credentialReport(credential: Credential, clock: Clock): CredentialReport {
  const { health, running, latencyMs, lastError } = credential;
  const atWall = (elapsedMs: number): number => Math.round(clock.now() + elapsedMs - clock.elapsed());
  return {
    index: credential.index,
    state: credential.healthStatus,
    outUntil: health.out && atWall(health.out.until),
    pausedUntil: credential.cooldownMs() > 0 ? atWall(clock.elapsed() + credential.cooldownMs()) : undefined,
    running,
    latencyMs: latencyMs === undefined ? undefined : Math.round(latencyMs),
    failures: health.failures,
    lastError: lastError?.words,
    lastErrorAt: lastError?.at,
  };
}

export interface UpstreamMeasures {
  readonly name: string;
  readonly running: number;
  /** How many answers may run in this process. */
  readonly allowed: number;
  /** How many may run at once in all processes that share the upstream, as far as it was learned. */
  readonly limit: number;
  readonly waitingByPackage: ReadonlyMap<string, number>;
  /** Calls and waiting requests of the idle class, and the time that it has held slots. */
  readonly idle: { readonly running: number; readonly waiting: number; readonly slotMs: number };
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
    idle: { running: queue.idleRunning, waiting: queue.idleWaiting, slotMs: queue.idleSlotMs },
    fairness: queue.snapshot().fairness,
    healthStatuses: credentials.map(({ healthStatus }) => healthStatus),
  };
}
