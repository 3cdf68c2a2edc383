import type { Wallet } from '../money/billing/wallet.ts';
import type { BatchFigures } from '../work/batches/batch-runner.ts';
import type { LeaseStatus } from '../platform/cluster/lease-keeper.ts';
import type { Config } from '../platform/config/config.ts';
import type { ReloadState } from '../platform/config/file/reload.ts';
import { packageVersion } from '../core/build-stamp.ts';
import type { ChunkWatch } from '../core/chunk-watch.ts';
import { systemClock } from '../core/time/clock.ts';
import type { Exchange } from '../serving/http/exchange.ts';
import type { Route } from '../serving/http/route.ts';
import type { UpstreamMeasures } from '../serving/routing/upstream-report.ts';
import type { RetryBudget } from '../serving/routing/calls/retry-budget.ts';
import { exposition, expositionType } from '../operate/telemetry/metrics/exposition.ts';
import { type GaugeReading, processFigures, readingFamilies } from '../operate/telemetry/metrics/gauges.ts';
import { type LabelSource, LabelValues } from '../operate/telemetry/label-values.ts';
import { Recorder } from '../operate/telemetry/metrics/recorder.ts';
import type { MetricFamily } from '../operate/telemetry/metrics/series.ts';
import { SurfaceNames } from '../operate/telemetry/traces/surface-name.ts';

/** The values of the gauges at a scrape. */
export interface MetricState {
  readonly requests: number;
  readonly connections: number;
  readonly upstreams: readonly UpstreamMeasures[];
  readonly budget: Pick<RetryBudget, 'inUse' | 'limit'>;
  readonly waitingBytes: number;
  readonly batches: BatchFigures;
  readonly wallet: Pick<Wallet, 'holds' | 'pending' | 'journalBytes' | 'refusedCheckpoints'>;
  readonly storeSeenMs: number;
  readonly isReady: boolean;
  /** The lease status of this process; undefined if it shares upstreams with no other process. */
  readonly sharing: LeaseStatus | undefined;
  readonly reload: ReloadState;
}

/** Combines the metrics of this process with those of all workers of the same address. */
export type GatherMetrics = (own: () => readonly MetricFamily[]) => () => Promise<readonly (readonly MetricFamily[])[]>;

interface MetricsParts {
  readonly config: Pick<Config, 'messagesPrefix' | 'currency' | 'telemetry'>;
  readonly current: () => LabelSource;
  readonly gather: GatherMetrics | undefined;
}

export class Metrics {
  readonly recorder: Recorder;
  /** Samples the chunks that are sent to clients. */
  readonly chunks: ChunkWatch;
  readonly #labels: LabelValues;
  readonly #gather: GatherMetrics;

  constructor({ config, current, gather = singleProcess }: MetricsParts) {
    this.#labels = new LabelValues(current);
    this.#gather = gather;
    const surfaces = new SurfaceNames(config.messagesPrefix);
    this.recorder = new Recorder({
      labels: this.#labels,
      surfaces,
      currency: config.currency,
      detail: config.telemetry.metricsDetail,
    });
    this.chunks = sampledChunks(systemClock.elapsed, (ms) => this.recorder.chunkTook(ms));
  }

  /** `GET /metrics` of the health port, without authentication. */
  route(state: () => MetricState): Route {
    const build: GaugeReading = ['gateway_build_info', [packageVersion(), process.version], 1];
    const gathered = this.#gather(() => [
      ...this.recorder.families(),
      ...readingFamilies([build, ...readings(state(), this.#labels), ...processFigures()]),
    ]);
    const handle = async (exchange: Exchange): Promise<void> => {
      exchange.send(200, expositionType, exposition(await gathered(), this.#labels));
    };
    return { method: 'GET', path: '/metrics', handle };
  }
}

/** For a process without other workers. */
const singleProcess: GatherMetrics = (own) => async () => [own()];

function readings(state: MetricState, labels: LabelValues): readonly GaugeReading[] {
  const { budget, wallet, sharing, reload, batches } = state;
  return [
    ['gateway_requests_in_flight', [], state.requests],
    ['gateway_connections', [], state.connections],
    ['gateway_queue_bytes', [], state.waitingBytes],
    ['gateway_retry_budget', ['used'], budget.inUse],
    ['gateway_retry_budget', ['allowed'], budget.limit],
    ['gateway_batches_unfinished', [], batches.unfinished],
    ['gateway_batch_lines_queued', [], batches.queued],
    ['gateway_batch_lines_running', [], batches.running],
    ['gateway_holds', [], wallet.holds],
    ['gateway_ledger_pending', [], wallet.pending],
    ['gateway_journal_bytes', [], wallet.journalBytes],
    ['gateway_dead_letter_checkpoints', [], wallet.refusedCheckpoints],
    ['gateway_store_poll_age_seconds', [], state.storeSeenMs / 1000],
    ['gateway_ready', [], Number(state.isReady)],
    ['gateway_config_last_reload_successful', [], Number(reload.isSuccessful)],
    ['gateway_config_last_reload_success_timestamp_seconds', [], reload.succeededAt / 1000],
    ['gateway_workers', [], 1],
    ...(sharing ? sharingReadings(sharing) : []),
    ...state.upstreams.flatMap((upstream) => upstreamReadings(upstream, labels)),
  ];
}

function sharingReadings({ state, processes }: LeaseStatus): readonly GaugeReading[] {
  return [
    ['gateway_cluster_coordinated', [], Number(state === 'leased')],
    ['gateway_cluster_processes', [], processes],
  ];
}

const healthStates = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'] as const;

function upstreamReadings(upstream: UpstreamMeasures, labels: LabelValues): readonly GaugeReading[] {
  const { name, fairness } = upstream;
  const waiting = waitingByLabel(upstream, labels);
  return [
    ['gateway_upstream_slots_used', [name], upstream.running],
    ['gateway_upstream_slots', [name], upstream.allowed],
    ['gateway_upstream_limit', [name], upstream.limit],
    ['gateway_idle_slots_used', [name], upstream.idle.running],
    ['gateway_idle_waiting', [name], upstream.idle.waiting],
    ['gateway_idle_slot_seconds_total', [name], upstream.idle.slotMs / 1000],
    ...healthStates.map((state): GaugeReading => {
      const count = upstream.healthStatuses.filter((each) => each === state).length;
      return ['gateway_upstream_credentials', [name, state], count];
    }),
    ...[...waiting].map(([packageName, count]): GaugeReading => ['gateway_queue_waiting', [name, packageName], count]),
    ...(fairness === undefined ? [] : [['gateway_queue_fairness', [name], fairness] as const]),
  ];
}

/** Queued requests by the label of their package; 0 for packages without any. */
function waitingByLabel({ waitingByPackage }: UpstreamMeasures, labels: LabelValues): ReadonlyMap<string, number> {
  const counts = new Map(labels.packages.map((name) => [name, 0]));
  for (const [name, count] of waitingByPackage) {
    const label = labels.package(name);
    counts.set(label, (counts.get(label) ?? 0) + count);
  }
  return counts;
}

/** Measuring a chunk reads the clock twice, which is too much for every chunk. */
const oneIn = 16;

function sampledChunks(elapsed: () => number, took: (ms: number) => void): ChunkWatch {
  let until = 0;
  return {
    came() {
      until -= 1;
      if (until > 0) return undefined;
      until = oneIn;
      return elapsed();
    },
    left: (cameMs) => took(elapsed() - cameMs),
  };
}
