/** One metric: what it is called, what it means, and what it is told apart by. `docs/metrics.md` is this table. */
export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** What is different unless every detail is asked for: buckets, and labels that are left out. */
  readonly usual?: { readonly buckets?: readonly number[]; readonly without?: readonly string[] };
  /** How the workers of one machine make one figure of theirs; sums where nothing is said. */
  readonly ofWorkers?: 'sum' | 'max' | 'min';
}

/** The labels of OpenTelemetry's GenAI metrics, and the upstream, which they have no word for. */
const call = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'upstream'];

/** The bounds that the GenAI conventions recommend. */
const tokenBounds = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const operationBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const firstChunkBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const chunkBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5];

/** Each bucket is a series for every model: those by model have as many as their alerts and panels need. */
const fewFirstChunkBounds = [0.25, 0.5, 1, 2.5, 7.5, 10];
const fewChunkBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.5];

/** What we take ourselves is thousandths of a second, and should be. */
const ownBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const waitBounds = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Every metric there is. The names of the GenAI conventions are still in development: should one change, it changes here.
 * Labels have the names of what is configured, or a few words of ours; nothing that a client wrote becomes one.
 */
export const metricSpecs = {
  gen_ai_client_token_usage: {
    type: 'histogram',
    help: 'Tokens of the answers, as charged: what went in and what came out of each.',
    labels: [...call, 'gen_ai_token_type'],
    buckets: tokenBounds,
    usual: { buckets: [] },
  },
  gen_ai_client_operation_duration_seconds: {
    type: 'histogram',
    help: 'How long each call of a provider took, from sending it to the last of its answer. `error_type` is there if it failed.',
    labels: [...call, 'error_type'],
    buckets: operationBounds,
    usual: { without: ['gen_ai_request_model'] },
  },
  gen_ai_client_operation_time_to_first_chunk_seconds: {
    type: 'histogram',
    help: 'From sending a call to the first content of its answer.',
    labels: call,
    buckets: firstChunkBounds,
    usual: { buckets: fewFirstChunkBounds },
  },
  gen_ai_client_operation_time_per_output_chunk_seconds: {
    type: 'histogram',
    help: 'From one piece of an answer to the next. Every piece counts with the mean of its answer.',
    labels: call,
    buckets: chunkBounds,
    usual: { buckets: fewChunkBounds },
  },
  gateway_http_requests_total: {
    type: 'counter',
    help: 'Every HTTP request, those included that had no valid key, by endpoint and class of status; `none` where nothing was sent.',
    labels: ['surface', 'status'],
  },
  gateway_http_errors_total: {
    type: 'counter',
    help: 'Requests that ended with an error, by the case of the error table; also where 200 had gone out before.',
    labels: ['case'],
  },
  gateway_requests_total: {
    type: 'counter',
    help: 'Requests with a valid key, by endpoint, model, package and class of status. `status` of a client that left early is `4xx`.',
    labels: ['surface', 'model', 'package', 'status'],
  },
  gateway_request_duration_seconds: {
    type: 'histogram',
    help: 'From the arrival of a request to the last byte of its reply.',
    labels: ['surface', 'model'],
    buckets: [...operationBounds, 163.84, 327.68, 655.36],
    usual: { without: ['model'] },
  },
  gateway_requests_in_flight: { type: 'gauge', help: 'Requests being served, those that wait included.', labels: [] },
  gateway_connections: { type: 'gauge', help: 'Clients that are connected.', labels: [] },
  gateway_overstated_usage_total: {
    type: 'counter',
    help: 'Answers whose provider reported more usage than the request can have. The account was charged the most that the request can use, and the record of the request has a note.',
    labels: ['upstream'],
  },
  gateway_charged_total: {
    type: 'counter',
    help: 'Money charged to accounts, in units of the currency.',
    labels: ['model', 'package', 'currency'],
  },
  gateway_stream_ends_total: {
    type: 'counter',
    help: 'How replies ended: `complete`; `broken_off`, with an error frame behind a beginning; `client_gone`; `refused`, with an error status.',
    labels: ['surface', 'how'],
  },
  gateway_queue_waiting: {
    type: 'gauge',
    help: 'Requests that wait for a turn. One that waits at several upstreams counts at each.',
    labels: ['upstream', 'package'],
  },
  gateway_queue_wait_seconds: {
    type: 'histogram',
    help: 'How long requests waited for each turn they got, pauses included.',
    labels: ['upstream', 'package'],
    buckets: waitBounds,
  },
  gateway_queue_timeouts_total: {
    type: 'counter',
    help: 'Requests that waited for a turn and did not get it: too long, too many, or given up by their clients.',
    labels: ['package'],
  },
  gateway_queue_bytes: { type: 'gauge', help: 'Memory that waiting requests hold.', labels: [] },
  gateway_queue_fairness: {
    type: 'gauge',
    help: 'Jain’s index over what the accounts that wait have got for their weight: 1 is fair. There only while several wait.',
    labels: ['upstream'],
    ofWorkers: 'min',
  },
  gateway_slots_granted_total: {
    type: 'counter',
    help: 'Turns given: the right to make one call.',
    labels: ['upstream', 'package'],
  },
  gateway_upstream_slots_used: { type: 'gauge', help: 'Calls that run at an upstream.', labels: ['upstream'] },
  gateway_upstream_slots: {
    type: 'gauge',
    help: 'How many calls may run at an upstream from here.',
    labels: ['upstream'],
  },
  gateway_upstream_limit: {
    type: 'gauge',
    help: 'How many calls may run at an upstream from all gateways that share it, as far as was found out.',
    labels: ['upstream'],
    ofWorkers: 'min',
  },
  gateway_upstream_credentials: {
    type: 'gauge',
    help: 'Credentials of an upstream by their standing: healthy, ramping, half-open, ejected, disabled. Of several workers the most that one of them sees.',
    labels: ['upstream', 'standing'],
    ofWorkers: 'max',
  },
  gateway_upstream_calls_total: {
    type: 'counter',
    help: 'Calls of upstreams by what came of them: `answered`, or the reason why nothing came.',
    labels: ['upstream', 'outcome'],
  },
  gateway_failovers_total: {
    type: 'counter',
    help: 'Calls that went on to another upstream or another credential, by where they failed and why.',
    labels: ['upstream', 'reason'],
  },
  gateway_retries_total: {
    type: 'counter',
    help: 'Calls that were made again where they had failed, by why.',
    labels: ['upstream', 'reason'],
  },
  gateway_retry_budget: {
    type: 'gauge',
    help: 'Tries beyond the first: how many are under way (`used`) and how many may be (`allowed`).',
    labels: ['what'],
  },
  gateway_credential_rejections_total: {
    type: 'counter',
    help: 'Calls that a provider refused because of our credential.',
    labels: ['upstream'],
  },
  gateway_overhead_seconds: {
    type: 'histogram',
    help: 'Our own time before a request is sent to a provider: all but what its client took to send it and its wait for a turn.',
    labels: ['surface'],
    buckets: ownBounds,
  },
  gateway_chunk_delay_seconds: {
    type: 'histogram',
    help: 'Our own time for a piece of an answer, from when it is read to when it is written to the client. One piece in sixteen is looked at.',
    labels: [],
    buckets: [0.00001, 0.000025, 0.00005, ...ownBounds],
  },
  gateway_tool_calls_total: {
    type: 'counter',
    help: 'Tool calls of models by outcome: `parsed`; `repaired`, with arguments that had to be mended; `failed`.',
    labels: ['model', 'outcome'],
  },
  gateway_constraints_total: {
    type: 'counter',
    help: 'Answers in which the gateway watched over a promise of the contract, by what became of it: `kept` by the model; `mended` here; `asked_again`, thrown away for another; `missed`, with an error.',
    labels: ['model', 'promise', 'outcome'],
    usual: { without: ['promise'] },
  },
  gateway_fallbacks_total: {
    type: 'counter',
    help: 'Models that were asked (`fallback`) in the place of the one that was asked for, by why.',
    labels: ['model', 'fallback', 'reason'],
  },
  gateway_holds: { type: 'gauge', help: 'Requests that money is set aside for.', labels: [] },
  gateway_ledger_pending: { type: 'gauge', help: 'Charges that the store does not have yet.', labels: [] },
  gateway_journal_bytes: {
    type: 'gauge',
    help: 'Size of the journal that keeps charges until the store has them.',
    labels: [],
  },
  gateway_dead_letter_checkpoints: {
    type: 'gauge',
    help: 'Checkpoints of dead processes that cannot be charged; every process on a store says the same.',
    labels: [],
  },
  gateway_records_dropped_total: {
    type: 'counter',
    help: 'Request records that were given up because the store did not take them.',
    labels: [],
  },
  gateway_bodies_dropped_total: {
    type: 'counter',
    help: 'Requests whose bodies were not stored although their keys ask for it, for want of room.',
    labels: [],
  },
  gateway_store_commit_seconds: {
    type: 'histogram',
    help: 'How long the store took for a commit of charges, records or leases.',
    labels: [],
    buckets: ownBounds,
  },
  gateway_store_poll_age_seconds: {
    type: 'gauge',
    help: 'How long ago the store last answered; it is asked twice a second.',
    labels: [],
    ofWorkers: 'max',
  },
  gateway_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late the event loop was, measured four times a second.',
    labels: [],
    buckets: ownBounds,
  },
  gateway_ready: {
    type: 'gauge',
    help: '1 while new requests are welcome (`/readyz` answers 200); of several workers, while one of them is ready.',
    labels: [],
    ofWorkers: 'max',
  },
  gateway_config_last_reload_successful: {
    type: 'gauge',
    help: '1 if the configuration file was applied when it was last read, 0 if it was refused and the configuration before it is in force.',
    labels: [],
    ofWorkers: 'min',
  },
  gateway_config_last_reload_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the configuration in force was applied, in seconds since 1970; the start counts.',
    labels: [],
    ofWorkers: 'min',
  },
  gateway_cluster_coordinated: {
    type: 'gauge',
    help: '1 while places are shared with the other processes, 0 while this one keeps to its own part. Not there for a process that is alone.',
    labels: [],
    ofWorkers: 'min',
  },
  gateway_cluster_processes: {
    type: 'gauge',
    help: 'Processes that share the upstreams, as last heard.',
    labels: [],
    ofWorkers: 'max',
  },
  gateway_workers: { type: 'gauge', help: 'Processes of this machine that the figures are from.', labels: [] },
  gateway_build_info: {
    type: 'gauge',
    help: 'Always 1; the version that runs and its Node are its labels.',
    labels: ['version', 'node'],
    ofWorkers: 'max',
  },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time used.', labels: [] },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory in use.', labels: [] },
  process_open_fds: { type: 'gauge', help: 'Open file descriptors.', labels: [] },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process began, in seconds since 1970; of several workers, the first of them.',
    labels: [],
    ofWorkers: 'min',
  },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'JavaScript heap in use.', labels: [] },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'JavaScript heap taken from the system.', labels: [] },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory outside the heap, such as buffers.', labels: [] },
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof metricSpecs;

/** The names of the metrics of one type. */
export type NamesOf<Type extends MetricSpec['type']> = {
  [Name in MetricName]: (typeof metricSpecs)[Name]['type'] extends Type ? Name : never;
}[MetricName];
