/** One metric: its type, meaning and labels. `scripts/metrics-docs.ts` writes this table to `docs/metrics.md`. */
export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** Differences with `metrics_detail: usual`: other buckets, and labels that are left out. */
  readonly usual?: { readonly buckets?: readonly number[]; readonly without?: readonly string[] };
  /** How the values of all workers on one machine are combined. The default is the sum. */
  readonly ofWorkers?: 'sum' | 'max' | 'min';
}

/** The labels of OpenTelemetry's GenAI metrics, plus the upstream, which the conventions do not cover. */
const call = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'upstream'];

/** The bucket bounds that the GenAI conventions recommend. */
const tokenBounds = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const operationBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const firstChunkBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const chunkBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5];

/** Each bucket adds a series for every model. Histograms by model have only the buckets that alerts and panels need. */
const fewFirstChunkBounds = [0.25, 0.5, 1, 2.5, 7.5, 10];
const fewChunkBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.5];

/** The gateway's own time is expected to be milliseconds. */
const ownBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const waitBounds = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const counter = metricOf('counter');
const gauge = metricOf('gauge');
const histogram = metricOf('histogram');

/** GenAI names may still change, only here. Label values are configured names or fixed words, never client text. */
export const metricSpecs = {
  gen_ai_client_token_usage: histogram('Input and output tokens of each answer, as charged.', {
    labels: [...call, 'gen_ai_token_type'],
    buckets: tokenBounds,
    usual: { buckets: [] },
  }),
  gen_ai_client_operation_duration_seconds: histogram(
    'Duration of each provider call, from sending it to the end of its answer. `error_type` is set if the call failed.',
    { labels: [...call, 'error_type'], buckets: operationBounds, usual: { without: ['gen_ai_request_model'] } },
  ),
  gen_ai_client_operation_time_to_first_chunk_seconds: histogram(
    'Time from sending a provider call to the first content of its answer.',
    { labels: call, buckets: firstChunkBounds, usual: { buckets: fewFirstChunkBounds } },
  ),
  gen_ai_client_operation_time_per_output_chunk_seconds: histogram(
    'Time between two chunks of an answer. Every chunk counts with the mean of its answer.',
    { labels: call, buckets: chunkBounds, usual: { buckets: fewChunkBounds } },
  ),
  gateway_http_requests_total: counter(
    'All HTTP requests, also without a valid key, by endpoint and status class. `none`: no status was sent.',
    { labels: ['surface', 'status'] },
  ),
  gateway_http_errors_total: counter(
    'Requests that ended with an error, by case of the error table, also if status 200 had been sent before.',
    { labels: ['case'] },
  ),
  gateway_requests_total: counter(
    'Requests with a valid key, by endpoint, model, package and status class. If the client disconnects early, `status` is `4xx`.',
    { labels: ['surface', 'model', 'package', 'status'] },
  ),
  gateway_request_duration_seconds: histogram('Time from the arrival of a request to the last byte of its reply.', {
    labels: ['surface', 'model'],
    buckets: [...operationBounds, 163.84, 327.68, 655.36],
    usual: { without: ['model'] },
  }),
  gateway_requests_in_flight: gauge('Requests in flight, including queued requests.'),
  gateway_connections: gauge('Open client connections.'),
  gateway_overstated_usage_total: counter(
    'Answers for which the provider reported more usage than the request can have. The account is charged the maximum the request can use, and the request record has a note.',
    { labels: ['upstream'] },
  ),
  gateway_charged_total: counter('Money charged to accounts, in units of the currency.', {
    labels: ['model', 'package', 'currency'],
  }),
  gateway_stream_ends_total: counter(
    'How replies ended: `complete`; `broken_off`, an error frame after the reply had begun; `client_gone`, the client disconnected; `refused`, an error status.',
    { labels: ['surface', 'outcome'] },
  ),
  gateway_queue_waiting: gauge(
    'Requests that wait for a slot. A request that waits at several upstreams counts at each.',
    { labels: ['upstream', 'package'] },
  ),
  gateway_queue_wait_seconds: histogram('Time that requests waited for each slot they got, cooldowns included.', {
    labels: ['upstream', 'package'],
    buckets: waitBounds,
  }),
  gateway_queue_timeouts_total: counter(
    'Queued requests that never got a slot: queue timeout, queue full, or client disconnect.',
    { labels: ['package'] },
  ),
  gateway_queue_bytes: gauge('Memory used by queued requests.'),
  gateway_queue_fairness: gauge(
    'Jain’s fairness index over the service that waiting accounts received, relative to their weights. 1 is fair. Present only while several accounts wait.',
    { labels: ['upstream'], ofWorkers: 'min' },
  ),
  gateway_slots_granted_total: counter('Slots granted. A slot is the right to run one call at an upstream.', {
    labels: ['upstream', 'package'],
  }),
  gateway_upstream_slots_used: gauge('Calls in flight at an upstream.', { labels: ['upstream'] }),
  gateway_upstream_slots: gauge('Calls that may run at an upstream from this gateway at once.', {
    labels: ['upstream'],
  }),
  gateway_upstream_limit: gauge(
    'Calls that may run at an upstream at once from all gateways that share it, as far as known.',
    { labels: ['upstream'], ofWorkers: 'min' },
  ),
  gateway_idle_slots_used: gauge('Calls of the idle class in flight at an upstream.', { labels: ['upstream'] }),
  gateway_idle_waiting: gauge(
    'Requests of the idle class that wait for a slot that no other request wants. `gateway_queue_waiting` does not include them.',
    { labels: ['upstream'] },
  ),
  gateway_idle_slot_seconds_total: counter('Time that calls of the idle class have held slots of an upstream.', {
    labels: ['upstream'],
  }),
  gateway_batches_unfinished: gauge(
    'Batches that have not ended. Every process on the same store reports the same number.',
    { ofWorkers: 'max' },
  ),
  gateway_batch_lines_queued: gauge(
    'Requests of batches that no process has claimed yet, counted every 15 s. Every process on the same store reports the same number.',
    { ofWorkers: 'max' },
  ),
  gateway_batch_lines_running: gauge('Requests of batches that run in a process, or wait there for a slot.'),
  gateway_batch_lines_total: counter(
    'Requests of batches by outcome: `succeeded`; `failed`; `interrupted`, the process ended during the answer; `cancelled`; `expired`. The last three are counted when the batch ends.',
    { labels: ['outcome'] },
  ),
  gateway_upstream_credentials: gauge(
    'Credentials of an upstream by health: healthy, ramping, half-open, ejected, disabled. With several workers: the highest count that one of them reports.',
    { labels: ['upstream', 'state'], ofWorkers: 'max' },
  ),
  gateway_upstream_calls_total: counter('Upstream calls by outcome: `answered`, or the reason for the failure.', {
    labels: ['upstream', 'outcome'],
  }),
  gateway_failovers_total: counter(
    'Failed calls that moved to another upstream or credential, by the upstream that failed and the reason.',
    { labels: ['upstream', 'reason'] },
  ),
  gateway_retries_total: counter('Failed calls that were retried at the same upstream and credential, by reason.', {
    labels: ['upstream', 'reason'],
  }),
  gateway_retry_budget: gauge('Attempts after the first one: running now (`used`) and the limit (`allowed`).', {
    labels: ['what'],
  }),
  gateway_credential_rejections_total: counter('Calls that a provider refused because of the gateway’s credential.', {
    labels: ['upstream'],
  }),
  gateway_overhead_seconds: histogram(
    'The gateway’s own time before a request is sent to a provider, waits for the store included. Excludes the time the client took to send it and waits for slots.',
    { labels: ['surface'], buckets: ownBounds },
  ),
  gateway_chunk_delay_seconds: histogram(
    'The gateway’s own time for a chunk of an answer, from reading it to writing it to the client. One chunk in 16 is measured.',
    { buckets: [0.00001, 0.000025, 0.00005, ...ownBounds] },
  ),
  gateway_tool_calls_total: counter(
    'Tool calls of models by outcome: `parsed`; `repaired`, the gateway repaired the arguments; `failed`.',
    { labels: ['model', 'outcome'] },
  ),
  gateway_constraints_total: counter(
    'Answers for which the gateway enforced a constraint, by outcome: `met`, the model complied; `repaired`, the gateway repaired the answer; `reprompted`, the gateway discarded the answer and re-prompted; `violated`, the request failed.',
    { labels: ['model', 'constraint', 'outcome'], usual: { without: ['constraint'] } },
  ),
  gateway_fallbacks_total: counter('Calls of another model (`fallback`) instead of the requested one, by reason.', {
    labels: ['model', 'fallback', 'reason'],
  }),
  gateway_holds: gauge('Requests with an open hold.'),
  gateway_ledger_pending: gauge('Charges that the store does not have yet.'),
  gateway_journal_bytes: gauge('Size of the journal (write-ahead log), which keeps charges until the store has them.'),
  gateway_dead_letter_checkpoints: gauge(
    'Checkpoints of expired processes that cannot be charged. Every process on the same store reports the same number.',
  ),
  gateway_records_dropped_total: counter('Request records dropped because the store did not accept them.'),
  gateway_bodies_dropped_total: counter(
    'Requests whose bodies were not stored for lack of space, although their keys request it.',
  ),
  gateway_store_commit_seconds: histogram('Duration of a store commit of charges, records or leases.', {
    buckets: ownBounds,
  }),
  gateway_store_poll_age_seconds: gauge(
    'Seconds since the last successful store poll. The gateway polls twice a second.',
    { ofWorkers: 'max' },
  ),
  gateway_event_loop_delay_seconds: histogram('Event-loop lag, measured four times a second.', { buckets: ownBounds }),
  gateway_ready: gauge(
    '1 while the process accepts new requests (`/readyz` returns 200). With several workers: 1 while at least one of them does.',
    { ofWorkers: 'max' },
  ),
  gateway_config_last_reload_successful: gauge(
    '1 if the last read of the configuration file was applied, 0 if it was rejected and the previous configuration is still in use.',
    { ofWorkers: 'min' },
  ),
  gateway_config_last_reload_success_timestamp_seconds: gauge(
    'When the current configuration was applied, in seconds since 1970. The start counts as applying it.',
    { ofWorkers: 'min' },
  ),
  gateway_cluster_coordinated: gauge(
    '1 while this process leases slots from the arbiter, 0 while it uses its static share. Missing for a process without peers.',
    { ofWorkers: 'min' },
  ),
  gateway_cluster_processes: gauge('Processes that share the upstreams, as last reported.', { ofWorkers: 'max' }),
  gateway_workers: gauge('Worker processes of this machine that are included in these metrics.'),
  gateway_build_info: gauge('Always 1. The labels are the version of the gateway and its Node.js version.', {
    labels: ['version', 'node'],
    ofWorkers: 'max',
  }),
  process_cpu_seconds_total: counter('Processor time used.'),
  process_resident_memory_bytes: gauge('Memory in use.'),
  process_open_fds: gauge('Open file descriptors.'),
  process_start_time_seconds: gauge(
    'When the process started, in seconds since 1970. With several workers: the first of them.',
    { ofWorkers: 'min' },
  ),
  nodejs_heap_size_used_bytes: gauge('JavaScript heap in use.'),
  nodejs_heap_size_total_bytes: gauge('JavaScript heap allocated from the system.'),
  nodejs_external_memory_bytes: gauge('Memory outside the heap, such as buffers.'),
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof metricSpecs;

export type NamesOf<Type extends MetricSpec['type']> = {
  [Name in MetricName]: (typeof metricSpecs)[Name]['type'] extends Type ? Name : never;
}[MetricName];

function metricOf<Type extends MetricSpec['type']>(type: Type) {
  return (help: string, more: Partial<MetricSpec> = {}): MetricSpec & { readonly type: Type } => {
    return { labels: [], ...more, type, help };
  };
}
