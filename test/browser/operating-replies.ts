import { soloAccount } from './team-replies.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { priceExampleEndpoint } from '../../src/manage/admin/catalog/price-examples.ts';
import { calculated, type Replies, refusal } from './fake-console.ts';
import { key, model as callable } from './owner-replies.ts';
import { requestRow } from './request-replies.ts';

const at = '2026-03-04T10:00:00.000Z';

const holder = (host: string, worker: number | null, lease: number, running: number, waiting: number) => ({
  process: `process ${host} ${worker}`,
  host,
  pid: 4711 + (worker ?? 0),
  worker,
  lease,
  running,
  waiting,
  heartbeat_age_ms: host === 'gateway-west' ? 12_000 : 400,
});

const account = (id: string, name: string, running: number, waiting: number) => ({ id, name, running, waiting });

interface Standing {
  readonly fair?: number;
  /** Its place in the line, and the wait of its oldest request. */
  readonly turn?: number;
  readonly oldestMs?: number;
}

const queued = (load: ReturnType<typeof account>, { fair = 1, turn, oldestMs }: Standing = {}) => ({
  ...load,
  fair_share: fair,
  oldest_wait_ms: oldestMs ?? null,
  turn: turn ?? null,
});

/** Fifty accounts, of which the first has twice the weight of each other one. */
const crowd = Array.from({ length: 50 }, (_, index) =>
  queued(account(`acc_c${index}`, `Customer ${index + 1}`, index === 0 ? 700 : 50 - index, 0), {
    fair: index === 0 ? 2 / 51 : 1 / 51,
  }),
);
const crowdRunning = crowd.reduce((sum, { running }) => sum + running, 0);

/** A busy gateway with a heavy account, one upstream in cooldown and one that is idle. */
export const live = {
  at,
  process: { id: 'process_1', started_at: at },
  totals: { requests: 131 + crowdRunning, running: 84 + crowdRunning, waiting: 47, retries: 1, retries_limit: 20 },
  rates: { requests: 6.4, errors: 0.05, prompt_tokens: 18_400, completion_tokens: 2310 },
  upstreams: [
    {
      name: 'deepseek',
      state: 'healthy',
      running: 16,
      waiting: 9,
      limit: 16,
      cooldown_until: null,
      fairness: 0.97,
      idle: null,
      accounts: [
        queued(account('acc_1', 'Acme', 6, 7), { fair: 1 / 3, turn: 2, oldestMs: 8200 }),
        queued(account('acc_2', 'Globex', 6, 2), { fair: 1 / 3, turn: 1, oldestMs: 2100 }),
        queued(account('acc_3', 'Initech', 4, 0), { fair: 1 / 3 }),
      ],
      processes: [
        holder('gateway-east', 1, 8, 8, 6),
        holder('gateway-east', 2, 6, 6, 3),
        holder('gateway-west', null, 2, 2, 0),
      ],
    },
    {
      name: 'moonshot',
      state: 'ramping',
      running: 4,
      waiting: 2,
      limit: 64,
      cooldown_until: '2026-03-04T10:00:09.000Z',
      fairness: null,
      idle: null,
      accounts: [queued(account('acc_1', 'Acme', 4, 2), { oldestMs: 9000 })],
      processes: [],
    },
    {
      name: 'azure-east',
      state: 'healthy',
      running: 64,
      waiting: 36,
      limit: 64,
      cooldown_until: null,
      fairness: 0.71,
      idle: null,
      accounts: [
        queued(account('acc_1', 'Acme', 48, 31), { fair: 1 / 3, turn: 3, oldestMs: 41_000 }),
        queued(account('acc_2', 'Globex', 9, 4), { fair: 1 / 3, turn: 1, oldestMs: 3400 }),
        queued(account('acc_4', 'A customer with a very long name GmbH & Co. KG', 7, 1), {
          fair: 1 / 3,
          turn: 2,
          oldestMs: 900,
        }),
      ],
      processes: [],
    },
    {
      name: 'bulk',
      state: 'healthy',
      running: crowdRunning,
      waiting: 0,
      limit: 2000,
      cooldown_until: null,
      fairness: null,
      idle: null,
      accounts: crowd,
      processes: [],
    },
    {
      name: 'mistral',
      state: 'disabled',
      running: 0,
      waiting: 0,
      limit: 1,
      cooldown_until: null,
      fairness: null,
      idle: null,
      accounts: [],
      processes: [],
    },
    {
      name: 'local',
      state: 'healthy',
      running: 0,
      waiting: 0,
      limit: 2,
      cooldown_until: null,
      fairness: null,
      idle: { running: 1, waiting: 40, accounts: [account('acc_1', 'Acme', 1, 40)] },
      accounts: [],
      processes: [],
    },
  ],
  accounts: [
    account('acc_c0', 'Customer 1', 700, 0),
    account('acc_1', 'Acme', 58, 40),
    account('acc_2', 'Globex', 15, 6),
    account('acc_3', 'Initech', 4, 0),
  ],
};

export const idle = {
  ...live,
  totals: { ...live.totals, requests: 0, running: 0, waiting: 0, retries: 0 },
  rates: { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0 },
  upstreams: live.upstreams.map((upstream) => ({
    ...upstream,
    state: 'healthy',
    running: 0,
    waiting: 0,
    cooldown_until: null,
    fairness: null,
    idle: null,
    accounts: [],
  })),
  accounts: [],
};

const routing = {
  upstream: 'deepseek',
  upstream_model: 'deepseek-chat',
  attempt_count: 1,
  notes: [],
  account_name: 'Acme',
  key_name: 'production',
};

const upstream = (name: string, source: 'file' | 'store', spec: object, secrets = ['api_key']) => ({
  kind: 'upstream',
  name,
  source,
  updated_at: at,
  version: '0123456789abcdef',
  spec: { name, ...spec },
  secrets,
});

const deepseek = upstream('deepseek', 'file', { kind: 'deepseek', max_concurrency: 16 }, ['api_keys']);
const moonshot = upstream('moonshot', 'store', { kind: 'moonshot', timeouts: { idle: '60s' } });
const local = upstream('local', 'store', { kind: 'ollama', base_url: 'http://127.0.0.1:11434/v1', enabled: false }, []);

const credential = {
  index: 0,
  state: 'healthy',
  ejected_until: null,
  cooldown_until: null,
  running: 3,
  latency_ms: 640,
  consecutive_failures: 0,
  last_error: null,
  last_error_at: null,
};

const health = {
  upstreams: [
    {
      name: 'deepseek',
      running: 16,
      waiting: 9,
      limit: 16,
      credentials: [
        { ...credential, running: 16 },
        {
          ...credential,
          index: 1,
          state: 'ejected',
          running: 0,
          latency_ms: 1900,
          consecutive_failures: 5,
          ejected_until: '2026-03-04T10:01:00.000Z',
          last_error: 'The server had an error while processing your request.',
          last_error_at: '2026-03-04T09:59:30.000Z',
        },
      ],
      processes: [],
    },
    {
      name: 'moonshot',
      running: 4,
      waiting: 2,
      limit: 64,
      credentials: [{ ...credential, state: 'ramping' }],
      processes: [],
    },
  ],
  retries: { in_use: 1, limit: 20 },
};

const preset = (name: string, title: string, base_url: string, more: object = {}) => ({
  name,
  title,
  base_url,
  environment: [`${name.toUpperCase()}_API_KEY`],
  fields: [],
  needs: [],
  note: null,
  ...more,
});

const presets = [
  preset('openai', 'OpenAI', 'https://api.openai.example/v1'),
  preset('anthropic', 'Anthropic', 'https://api.anthropic.example/v1'),
  preset('deepseek', 'DeepSeek', 'https://api.deepseek.example'),
  preset('moonshot', 'Moonshot', 'https://api.moonshot.example/v1'),
  preset('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', { environment: [] }),
  preset('bedrock', 'Amazon Bedrock', 'https://bedrock-runtime.REGION.example', {
    environment: ['AWS_BEARER_TOKEN_BEDROCK'],
    fields: ['region', 'access_key_id', 'secret_access_key', 'session_token'],
  }),
];

const model = (id: string, source: 'file' | 'store', spec: object) => ({
  kind: 'model',
  name: id,
  source,
  updated_at: at,
  version: '0123456789abcdef',
  spec: { id, ...spec },
  secrets: [],
});

export const chat = model('acme/chat', 'store', {
  aliases: ['chat', 'chat-latest'],
  context_window: 131_072,
  thinking: true,
  routes: [
    { upstream: 'deepseek', model: 'deepseek-chat' },
    { upstream: 'moonshot', model: 'kimi-k2', priority: 1 },
    { upstream: 'local', model: 'qwen3', priority: 1, weight: 3 },
  ],
  price: { input: '0.56', output: '1.68', cached_input: '0.07' },
});
/** A model with a price of every kind. */
export const large = model('acme/large', 'store', {
  routes: [{ upstream: 'deepseek' }],
  priced_fields: 'refuse',
  price: {
    input: '1.25',
    output: '10',
    cached_input: '0.125',
    reasoning: '12',
    provider_tools: { web_search: '10' },
    units: { request: '0.001' },
    tiers: [
      { when: { prompt_over: 200_000 }, input: '2.50', output: '15' },
      { when: { service_tier: 'priority' }, factor: '2' },
    ],
  },
});
const free = model('tiny', 'file', { surfaces: ['openai'], routes: [{ upstream: 'local' }], price: 'free' });

const performed = {
  uptime: 0.9731,
  first_token_ms_p50: 612,
  first_token_ms_p95: 1840,
  tokens_per_second_p50: 71.4,
  tokens_per_second_p95: 118,
  answered: 1084,
  failed: 30,
  timed: 1084,
  paced: 1012,
};

const route = (upstream: string, model: string, state: string | null) => ({
  upstream,
  model,
  priority: 0,
  weight: 1,
  state,
  running: 0,
  waiting: 0,
  limit: 16,
  performance: { day: performed, week: performed, month: performed },
});

const catalog = {
  data: [
    {
      ...callable({ id: 'acme/chat' }),
      performance: { day: { ...performed, answered: 3, failed: 0, uptime: 1 }, week: performed, month: performed },
      tool_calls: { seen: 1240, parsed: 1201, repaired: 22, failed: 17 },
      constraints: [
        { constraint: 'json', seen: 820, met: 790, repaired: 21, reprompted: 8, violated: 1 },
        { constraint: 'strict', seen: 144, met: 120, repaired: 9, reprompted: 12, violated: 3 },
      ],
      routes: [route('deepseek', 'deepseek-chat', 'healthy'), route('moonshot', 'kimi-k2', 'ramping')],
    },
  ],
};

const production = key({ id: 'key_1', name: 'production', display: 'sk-a…9f2c' });
const acme = {
  id: 'acc_1',
  name: 'Acme',
  display_name: null,
  package: 'default',
  status: 'active',
  time_zone: 'UTC',
  ...soloAccount,
  source: 'store',
  created_at: at,
  balance: '12.5',
  low_balance: null,
  recent_spend: '1.5',
  keys: 1,
  last_used_at: null,
  version: '0123456789abcdef',
};

/** The replies for the operator's pages about traffic. */
export const operating: Replies = {
  'GET /admin/v1/live': live,
  'GET /admin/v1/requests': {
    data: ['r1', 'r2', 'r3'].map((id) => ({ ...requestRow, ...routing, id })),
    next: null,
    searched_to: null,
  },
  'GET /admin/v1/upstreams': { data: [deepseek, moonshot, local], next: null },
  'GET /admin/v1/upstreams/health': health,
  'GET /admin/v1/upstreams/deepseek': deepseek,
  'GET /admin/v1/upstreams/moonshot': moonshot,
  'PUT /admin/v1/upstreams/moonshot': moonshot,
  'DELETE /admin/v1/upstreams/moonshot': refusal(
    400,
    reason('upstream_in_use', { name: 'moonshot', users: '`acme/chat`' }),
    'invalid_request',
  ),
  'POST /admin/v1/upstreams/moonshot/keys': moonshot,
  'POST /admin/v1/upstreams/deepseek/test': {
    ok: false,
    asked: 'model_list',
    status: 401,
    duration_ms: 212,
    models: [],
    known: [],
    error: 'The provider refuses the credential. It answered 401: invalid api key',
  },
  'POST /admin/v1/upstreams/moonshot/test': {
    ok: true,
    asked: 'model_list',
    status: 200,
    duration_ms: 348,
    models: ['kimi-k2', 'kimi-k2-0711-preview', 'acme/chat'],
    known: [
      {
        model: 'kimi-k2-0711-preview',
        known_as: 'kimi-k2-0711-preview',
        as_of: '2025-08-31',
        currency: 'USD',
        price: { input: '0.60', output: '2.50', cached_input: '0.15' },
        tiers: [],
        context_window: 131_072,
        max_output_tokens: null,
      },
    ],
    error: null,
  },
  'POST /admin/v1/upstreams': moonshot,
  'POST /admin/v1/model-batches': { data: [chat] },
  'GET /admin/v1/presets': { data: presets },
  'GET /admin/v1/price-examples': calculated(priceExampleEndpoint),
  'GET /admin/v1/models': { data: [chat, free], next: null },
  'GET /admin/v1/models/acme%2Fchat': chat,
  'PUT /admin/v1/models/acme%2Fchat': chat,
  'GET /admin/v1/models/acme%2Flarge': large,
  'PUT /admin/v1/models/acme%2Flarge': large,
  'GET /admin/v1/models/tiny': free,
  'POST /admin/v1/models': chat,
  'GET /admin/v1/catalog/models': catalog,
  'GET /admin/v1/catalog': {
    site: 'default',
    key_state: 'active',
    models: [
      { id: 'acme/chat', aliases: ['chat'], owned_by: 'acme', surfaces: ['anthropic', 'openai'], tool_calls: null },
    ],
  },
  'GET /admin/v1/accounts': { data: [acme], next: null },
  'GET /admin/v1/accounts/acc_1': acme,
  'GET /admin/v1/keys': { data: [production], next: null },
  'GET /admin/v1/sites': {
    data: [
      {
        kind: 'site',
        name: 'default',
        source: 'file',
        updated_at: at,
        version: '0123456789abcdef',
        spec: { domains: ['api.example.com'] },
        secrets: [],
      },
    ],
    next: null,
  },
};
