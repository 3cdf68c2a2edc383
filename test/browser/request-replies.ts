import { unmeasured } from './usage-replies.ts';

/** Replies about models and requests, for pages without a gateway. */
export const models = {
  site: 'default',
  base_urls: { openai: 'https://gateway.example.com/v1', anthropic: 'https://gateway.example.com/anthropic' },
  data: [model('sim-chat'), model('sim-thinker'), model('deepseek-chat')],
};

export const requestRow = {
  id: '20261115065054123abcdefghij',
  started_at: '2026-11-15T06:50:54.123Z',
  account_id: 'acc_1',
  key_id: 'key_1',
  key_name: 'production',
  user_id: 'customer-17',
  tags: ['team:search', 'env:prod'],
  site: 'default',
  surface: '/v1/chat/completions',
  requested_model: 'sim-chat',
  model: 'sim-chat',
  status: 200,
  error_case: null as string | null,
  error_detail: null as string | null,
  finish: 'stop',
  prompt_tokens: 412,
  completion_tokens: 1896,
  cached_tokens: 256,
  reasoning_tokens: 240,
  usage_source: 'upstream',
  cost: '0.001512',
  price_version: 'v1-83f2',
  wait_ms: 840,
  first_byte_ms: 2310,
  duration_ms: 6420,
  client_gone: false,
  requested_whole: false,
  unwanted_stream: false,
};

/** The detail of that request: one provider failed, the next one answered. */
export const requestDetail = {
  ...requestRow,
  state: 'recorded',
  explanation: 'The request has ended, and its record is complete.',
  ended_in_frame: false,
  queue_position: 3,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  replay_of: null,
  cost_lines: [
    { kind: 'input', tokens: 156, per_million: '0.55', amount: '0.0000858' },
    { kind: 'cached_input', tokens: 256, per_million: '0.14', amount: '0.00003584' },
    { kind: 'output', tokens: 1896, per_million: '0.73', amount: '0.00138408' },
  ],
  price_factor: '1.00',
  tool_lines: [],
  ledger: [
    {
      at: '2026-11-15T06:51:00.543Z',
      kind: 'charge',
      amount: '-0.001512',
      by: 'gateway',
      reason: 'sim-chat',
      price_version: 'v1-83f2',
    },
  ],
  bodies: {
    state: 'stored',
    request_bytes: 412,
    answer_bytes: 310_000,
    deleted_at: '2026-11-22T06:51:00.543Z',
    readable: true,
  },
  attempts: [
    step({ provider: 'provider 1', wait_ms: 840, position: 3, began_ms: 850, ended_ms: 1500, status_class: '5xx' }),
    step({ provider: 'provider 2', began_ms: 1510, ended_ms: 2300, first_event_ms: 2300, status_class: '2xx' }),
  ],
};

/** Its stored bodies. */
export const requestBodies = {
  request: {
    text: '{"model":"sim-chat","messages":[{"role":"user","content":"你好"}]}',
    base64: null,
    bytes: 412,
    truncated: false,
  },
  answer: { text: 'data: {"choices":[]}\n\ndata: {"choices', base64: null, bytes: 310_000, truncated: true },
  stored_at: '2026-11-15T06:51:00.543Z',
  deleted_at: '2026-11-22T06:51:00.543Z',
};

/** The same as operators see it. */
export const operatorDetail = {
  ...requestDetail,
  bodies: { ...requestDetail.bodies, readable: false },
  upstream: 'deepseek',
  upstream_model: 'deepseek-chat',
  attempt_count: 2,
  account_name: 'acme',
  key_name: 'production',
  notes: ['no usage was sent; it was counted', 'a tool call was read from the text'],
  attempts: requestDetail.attempts.map(({ provider, status_class, is_answer, ...times }) => ({
    ...times,
    upstream: provider === 'provider 1' ? 'openrouter' : 'deepseek',
    upstream_model: 'deepseek-chat',
    credential: 0,
    status: status_class === '5xx' ? 503 : 200,
    error_case: is_answer ? null : 'upstream-failed',
    reason: is_answer ? null : 'the provider answered with 503',
  })),
};

function model(id: string) {
  const price = {
    input: '0.55',
    cached_input: '0.14',
    cache_write_5m: '0',
    cache_write_30m: '0',
    cache_write_1h: '0',
    cache_write_12h: '0',
    input_audio: '0.55',
    input_image: '0.55',
    output: '0.73',
    reasoning: '0.73',
    output_audio: '0.73',
    tiers: [],
    provider_tools: {},
    units: {},
  };
  return {
    id,
    aliases: [],
    description: null,
    performance: { day: unmeasured, week: unmeasured, month: unmeasured },
    owned_by: 'gateway',
    surfaces: ['openai', 'anthropic'],
    endpoints: [],
    context_window: 128_000,
    max_output_tokens: 8192,
    thinking: true,
    price: { ...price, is_free: false },
    reliability: null,
  };
}

function step(given: {
  readonly provider: string;
  readonly wait_ms?: number;
  readonly backoff_ms?: number;
  readonly position?: number;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly first_event_ms?: number;
  readonly status_class: string;
}) {
  return {
    wait_ms: 0,
    backoff_ms: 0,
    position: null,
    first_event_ms: null,
    is_answer: given.first_event_ms !== undefined,
    ...given,
  };
}
