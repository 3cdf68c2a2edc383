import type { ArbiterReply, ClusterMember, Report } from '../../platform/cluster/arbiter.ts';
import type { Findings } from '../../platform/config/discovered.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import type { Reload, ReloadState } from '../../platform/config/file/reload.ts';
import type { Params } from 'chat-formats/reasons/text.ts';
import type { MetricFamily } from '../telemetry/metrics/series.ts';
import type { ServiceState } from './service-state.ts';

/** Where the configuration came from, for display. */
export interface WorkerSource {
  readonly file: string | undefined;
  readonly found: Findings | undefined;
}

export interface WorkerStart {
  /** The worker's number in logs, from 1. A replacement gets the number of the worker it replaces. */
  readonly number: number;
  readonly workers: number;
  readonly loaded: LoadedConfig;
  readonly source: WorkerSource;
  /** How the last reload ended. */
  readonly reload: ReloadState;
  /** Whether this worker writes the configuration to the store; only one does. */
  readonly writes: boolean;
  /** Whether this worker creates what a first start creates, and returns the announcement. */
  readonly announces: boolean;
}

export type ToWorker =
  | ({ readonly kind: 'start' } & WorkerStart)
  /** Apply another configuration. One worker writes it to the store before the others receive it. */
  | { readonly kind: 'apply'; readonly order: number; readonly loaded: LoadedConfig; readonly writes: boolean }
  /** The file was read again. One worker receives the reason of a rejection and logs it. */
  | ({ readonly kind: 'reloaded' } & Reload)
  /** Stop as on a signal. Without `graceMs` the configured grace period applies. */
  | { readonly kind: 'stop'; readonly graceMs: number | undefined }
  /** A replacement is serving: exit when the last client has disconnected, and abort no request. */
  | { readonly kind: 'retire' }
  /** The state of the whole service, so that every worker reports the same. */
  | ({ readonly kind: 'service' } & ServiceState)
  /** The reply to an `arbiter-call`. */
  | ({ readonly kind: 'answer'; readonly callId: number } & ArbiterAnswer)
  /** Something changed for this worker: report to the arbiter soon. */
  | { readonly kind: 'wake' }
  /** Request for the worker's metric counts. */
  | { readonly kind: 'count' }
  /** The metric counts of all workers, in reply to `count-all`. */
  | { readonly kind: 'counted'; readonly callId: number; readonly processes: readonly (readonly MetricFamily[])[] };

export type FromWorker =
  /** The worker is listening for messages. */
  | { readonly kind: 'up' }
  /** The start waits; `sentence` is the reason. */
  | { readonly kind: 'waiting'; readonly sentence: string }
  /** The worker serves requests. The first worker also returns the announcement for the operator. */
  | { readonly kind: 'ready'; readonly announcement: string | undefined }
  /** The worker exits when its clients have gone, and why. A replacement may start now. */
  | { readonly kind: 'leaving'; readonly why: string }
  /** The worker cannot serve, and why. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly next: string | undefined;
      readonly reason: string;
      readonly params: Params;
    }
  | ({ readonly kind: 'applied'; readonly order: number } & ApplyResult)
  | ({ readonly kind: 'state' } & ServiceState)
  | { readonly kind: 'arbiter-call'; readonly callId: number; readonly call: ArbiterCall }
  /** The worker's metric counts so far. */
  | { readonly kind: 'counts'; readonly families: readonly MetricFamily[] }
  /** Request for the metric counts of all workers. */
  | { readonly kind: 'count-all'; readonly callId: number };

/** A worker's call of the arbiter, which runs in the parent. */
export type ArbiterCall =
  | { readonly method: 'report'; readonly report: Report }
  | { readonly method: 'leave'; readonly process: string }
  | { readonly method: 'overview' };

export type ArbiterAnswer =
  | { readonly ok: true; readonly value: ArbiterReply | readonly ClusterMember[] | undefined }
  | { readonly ok: false; readonly message: string; readonly isInvariantViolation?: boolean };

export type ApplyResult =
  | { readonly ok: true; readonly needsRestart: readonly string[] }
  | { readonly ok: false; readonly message: string };

export interface WorkerProcess {
  send(message: ToWorker): void;
  /** Passes on every message, and once the end. Called before the process can have sent anything. */
  listen(listener: WorkerListener): void;
  kill(): void;
}

export interface WorkerListener {
  onMessage(message: FromWorker): void;
  onExit(how: string): void;
}
