import type { Pepper } from '../accounts/key-digest.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Environment } from '../config/environment.ts';
import type { Arbiter } from '../cluster/arbiter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Reload, ReloadState } from '../config/reload.ts';
import type { Pause } from '../console/parts.ts';
import type { PasswordCost } from '../console/passwords.ts';
import type { Clock } from '../core/clock.ts';
import type { Failpoint } from '../core/failpoint.ts';
import type { Store } from '../store/store.ts';
import type { VitalSigns } from '../telemetry/vital-signs.ts';
import type { ServiceState } from '../workers/service-state.ts';
import type { GatherMetrics } from './metrics.ts';

/** A running gateway. */
export interface Gateway {
  readonly address: { readonly host: string; readonly port: number };
  /** Where only the health endpoints are, if the configuration asks for it. */
  readonly healthPort: number | undefined;
  readonly store: Store;
  readonly pepper: Pepper;
  /** Takes another configuration into use, all of it or nothing. What only a restart can change stays, and is named. */
  apply(loaded: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** The same without writing it into the store, where another process has written it. */
  adopt(loaded: LoadedConfig): Promise<void>;
  /** Shows operators what came of a reload: in the log if it was refused, and in the metrics. */
  reloaded(reload: Reload): void;
  /** The catalog as it stands. */
  current(): Snapshot;
  inFlight(): { readonly exchanges: number; readonly answers: number };
  /** All that a request could leave behind; every figure is 0 when nobody is being served. */
  alive(): Readonly<Record<Remains, number>>;
  /** Tells operators of an error that nobody expected. */
  report(error: unknown): void;
  /**
   * Stops taking requests, lets running ones finish within the grace, ends the others with a word, and closes everything.
   * The grace is the configured one unless said otherwise. Called again it sets the grace anew.
   */
  stop(options?: { readonly graceMs: number }): Promise<void>;
  /**
   * Stops too, but asks nobody to leave: those who are connected are served until they have gone, within the grace, and
   * those who wait keep their turn. Others accept who comes from now on.
   */
  retire(): Promise<void>;
}

/** What a request may leave behind: clients served, places and calls at upstreams, turns of keys, tries beyond the first, money. */
type Remains =
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

/** What a gateway is given besides its configuration. */
export interface GatewayOptions {
  readonly env: Environment;
  readonly clock?: Clock;
  /** Where the configuration came from, if it was a file. */
  readonly configFile?: string | undefined;
  /** How the last reload ended; the start counts as one that succeeded. */
  readonly reload?: ReloadState;
  /** When the build that runs was made, if that is not written into it. */
  readonly build?: string | undefined;
  /** Hears what the start is waiting for. */
  readonly onWaiting?: (sentence: string) => void;
  /** What it is among others behind the same address; nothing if it is alone. */
  readonly worker?: WorkerRole | undefined;
  /** Where a crash test ends the process. */
  readonly failpoint?: Failpoint;
  /** What the process's own memory and event loop are measured by. */
  readonly signs?: VitalSigns;
  /** The folder the dashboard was built to. */
  readonly dashboard?: string;
  /** How those who guess passwords are made to wait. */
  readonly pause?: Pause;
  /** What a guess at a password is made to cost, if not what is usual. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** What a gateway knows of the others it shares an address with. */
export interface WorkerRole {
  readonly number: number;
  /** How many there are; they share the machine's memory. */
  readonly workers: number;
  /** Whether it writes the configuration into the store. */
  readonly writes: boolean;
  /** Who divides the places at upstreams among them, where no database does. */
  readonly arbiter: Arbiter;
  /** How all of them are doing together, from how this one is. */
  service(own: () => ServiceState): () => ServiceState;
  /** What all of them have counted, from what this one has. */
  readonly metrics: GatherMetrics;
}
