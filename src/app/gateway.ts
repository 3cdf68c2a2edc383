import type { Pepper } from '../platform/secrets/key-digest.ts';
import type { Snapshot } from '../money/catalog/snapshot.ts';
import type { Environment } from '../platform/config/environment.ts';
import type { Arbiter } from '../platform/cluster/arbiter.ts';
import type { LoadedConfig } from '../platform/config/load.ts';
import type { Reload, ReloadState } from '../platform/config/file/reload.ts';
import type { Pause } from '../manage/console/parts.ts';
import type { PasswordCost } from '../manage/console/passwords.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Failpoint } from '../core/failpoint.ts';
import type { Store } from '../platform/store/store.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import type { ProcessStats } from '../operate/telemetry/process-stats.ts';
import type { ServiceState } from '../operate/workers/service-state.ts';
import type { GatherMetrics } from './metrics.ts';

export interface Gateway {
  readonly address: { readonly host: string; readonly port: number };
  /** The port with only the health endpoints, if configured. */
  readonly healthPort: number | undefined;
  readonly store: Store;
  readonly pepper: Pepper;
  /** Applies a configuration, all or nothing. Returns the settings that apply only after a restart. */
  apply(loaded: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** Applies a configuration that another process has written to the store. */
  adopt(loaded: LoadedConfig): Promise<void>;
  /** Records the result of a reload in the metrics, and in the log if it was rejected. */
  reloaded(reload: Reload): void;
  current(): Snapshot;
  inFlight(): { readonly exchanges: number; readonly answers: number };
  /** Everything that a request could leak. Every number is 0 while no request is served. */
  alive(): Readonly<Record<LeakableResource, number>>;
  /** Logs an unexpected error. */
  report(error: unknown): void;
  /**
   * Stops accepting requests and lets running ones finish within the grace period. Then it ends the others with an
   * error and closes everything. The default is the configured grace period. Another call sets it again.
   */
  stop(options?: { readonly graceMs: number }): Promise<void>;
  /**
   * Stops without rejecting connected clients: they are served until they leave, within the grace period, and queued
   * requests keep their position. Other processes accept new connections.
   */
  retire(): Promise<void>;
}

/** Resources that a request may leak: connections, slots and calls at upstreams, key slots, retries, holds. */
type LeakableResource =
  | 'exchanges'
  | 'answers'
  | 'requests'
  | 'holds'
  | 'connections'
  | 'waiting'
  | 'calls'
  | 'retries'
  | 'keySlots'
  | 'keysWaiting';

/** Options of a gateway besides its configuration. */
export interface GatewayOptions {
  readonly env: Environment;
  readonly clock?: Clock;
  /** The configuration file, if there is one. */
  readonly configFile?: string | undefined;
  /** The result of the last reload; the start counts as a successful one. */
  readonly reload?: ReloadState;
  /** The time of the running build, if it is not compiled in. */
  readonly build?: string | undefined;
  /** Called with a sentence that describes what the start waits for. */
  readonly onWaiting?: (sentence: string) => void;
  /** The role of this process among the workers of one address; undefined if it is the only one. */
  readonly worker?: WorkerRole | undefined;
  /** Where a crash test kills the process. */
  readonly failpoint?: Failpoint;
  /** Measures memory and event loop of this process. */
  readonly signs?: ProcessStats;
  readonly dashboard?: string;
  /** Folder of the built documentation. */
  readonly docs?: string;
  /** Delays failed sign-in attempts. */
  readonly pause?: Pause;
  /** The cost of the password hash, if not the default. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** A worker's position among the workers that share one address. */
export interface WorkerRole {
  readonly number: number;
  /** The number of workers; they share the machine's memory. */
  readonly workers: number;
  readonly writes: boolean;
  /** Divides the slots of upstreams among the workers, if no database does. */
  readonly arbiter: Arbiter;
  /** Combines the state of this worker with that of all others. */
  service(own: () => ServiceState): () => ServiceState;
  /** Combines the metrics of this worker with those of all others. */
  readonly metrics: GatherMetrics;
}

/** What most parts of a gateway need. */
export interface ServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}
