import type { ClusterMember, ArbiterReply, Report } from '../cluster/arbiter.ts';
import type { Findings } from '../config/discovered.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Reload, ReloadState } from '../config/reload.ts';
import type { Params } from '../core/reasons/text.ts';
import type { MetricFamily } from '../telemetry/series.ts';
import type { ServiceState } from './service-state.ts';

/** Where the configuration came from, for those who are shown it. */
export interface WorkerSource {
  readonly file: string | undefined;
  readonly found: Findings | undefined;
}

/** What a worker needs to begin. */
export interface WorkerStart {
  /** What it is called in logs: 1 for the first place, and the same for whoever takes that place later. */
  readonly number: number;
  /** How many share the address. */
  readonly workers: number;
  readonly loaded: LoadedConfig;
  readonly source: WorkerSource;
  /** How the last reload ended. */
  readonly reload: ReloadState;
  /** Whether it writes the configuration into the store; the others find that done. */
  readonly writes: boolean;
  /** Whether it makes what a first start makes, and says so. */
  readonly announces: boolean;
}

/** What the parent tells a worker. */
export type ToWorker =
  | ({ readonly kind: 'start' } & WorkerStart)
  /** Takes another configuration into use; one of the workers writes it into the store before the others hear of it. */
  | { readonly kind: 'apply'; readonly order: number; readonly loaded: LoadedConfig; readonly writes: boolean }
  /** The file was read again; one worker writes into the log why it was refused. */
  | ({ readonly kind: 'reloaded' } & Reload)
  /** Ends as on a signal. Without a grace the configured one counts. */
  | { readonly kind: 'stop'; readonly graceMs: number | undefined }
  /** Another has taken its place: it leaves when nobody is connected any more, and ends nobody for it. */
  | { readonly kind: 'retire' }
  /** How the service is doing, whichever worker is asked. */
  | ({ readonly kind: 'service' } & ServiceState)
  /** What the arbiter says to an ask. */
  | ({ readonly kind: 'answer'; readonly ask: number } & ArbiterAnswer)
  /** Something changed for this worker: it should report soon. */
  | { readonly kind: 'wake' }
  /** It should say what it has counted. */
  | { readonly kind: 'count' }
  /** What all have counted, for who asked. */
  | { readonly kind: 'counted'; readonly ask: number; readonly processes: readonly (readonly MetricFamily[])[] };

/** What a worker tells its parent. */
export type FromWorker =
  /** It has begun to listen to its parent. */
  | { readonly kind: 'up' }
  /** What its start waits for. */
  | { readonly kind: 'waiting'; readonly sentence: string }
  /** It serves. The first one also says what an operator is shown. */
  | { readonly kind: 'ready'; readonly announcement: string | undefined }
  /** It ends by itself when its clients have gone, and why: another may take its place now. */
  | { readonly kind: 'leaving'; readonly why: string }
  /** It cannot serve, and why. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly next: string | undefined;
      readonly reason: string;
      readonly params: Params;
    }
  | ({ readonly kind: 'applied'; readonly order: number } & Applied)
  | ({ readonly kind: 'state' } & ServiceState)
  | { readonly kind: 'ask'; readonly ask: number; readonly of: ArbiterAsk }
  /** What it has counted so far. */
  | { readonly kind: 'counts'; readonly families: readonly MetricFamily[] }
  /** Somebody wants to know what all have counted. */
  | { readonly kind: 'count-all'; readonly ask: number };

/** What a worker asks the arbiter, which is its parent. */
export type ArbiterAsk =
  | { readonly method: 'report'; readonly report: Report }
  | { readonly method: 'leave'; readonly process: string }
  | { readonly method: 'overview' };

export type ArbiterAnswer =
  | { readonly ok: true; readonly value: ArbiterReply | readonly ClusterMember[] | undefined }
  | { readonly ok: false; readonly message: string };

/** What came of another configuration. */
export type Applied =
  | { readonly ok: true; readonly needsRestart: readonly string[] }
  | { readonly ok: false; readonly message: string };
