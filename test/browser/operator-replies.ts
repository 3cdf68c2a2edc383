import { prepaid, soloAccount, unlimited } from './team-replies.ts';
import type { Replies } from './fake-console.ts';
import { billingDocument, key } from './owner-replies.ts';
import { percentiles, topReply, usageReply } from './usage-replies.ts';

const at = (daysAgo: number) => new Date(Date.UTC(2026, 5, 30, 9, 12) - daysAgo * 86_400_000).toISOString();

function page<Row>(...data: readonly Row[]) {
  return { data, next: null };
}

function entry(kind: string, spec: { readonly name: string }, source: 'file' | 'store' = 'store') {
  return { kind, name: spec.name, source, updated_at: at(3), version: '0123456789abcdef', spec, secrets: [] };
}

export const acme = {
  id: 'acc_7Kq2mV9xWb',
  name: 'acme',
  package: 'pro',
  status: 'active',
  display_name: null,
  time_zone: 'UTC',
  ...soloAccount,
  source: 'store',
  created_at: at(120),
  balance: '412.865200',
  low_balance: null,
  recent_spend: '96.300000',
  keys: 3,
  last_used_at: new Date(Date.now() - 240_000).toISOString(),
  version: '0123456789abcdef',
};

const accounts = [
  acme,
  { ...acme, id: 'acc_2', name: 'globex', package: 'standard', balance: '0.004210', keys: 1 },
  { ...acme, id: 'acc_3', name: 'initech', package: 'free', status: 'suspended', balance: '-1.250000', keys: 0 },
  {
    ...acme,
    id: 'acc_4',
    name: 'umbrella',
    display_name: '雨伞集团 Umbrella ☂',
    source: 'file',
    package: 'pro',
    balance: '12480.000000',
    keys: 12,
  },
  { ...acme, id: 'acc_5', name: 'wayne', package: 'standard', balance: '25.000000', keys: 2, last_used_at: null },
];

const figures = (index: number) => ({
  spend: (((index * 37) % 11) * 0.83).toFixed(6),
  requests: 120 + ((index * 53) % 97),
  errors: index % 3,
  prompt_tokens: 90_000,
  completion_tokens: 22_000,
  cached_tokens: 30_000,
  reasoning_tokens: 4000,
  cache_savings: '0.270000',
  ...percentiles(index % 10),
});

const line = {
  at: at(0),
  kind: 'charge',
  key_id: 'key_1',
  key_name: 'production',
  by: 'gateway',
  reason: '',
  price_version: 'p1',
  document: null,
};

const path = `/admin/v1/accounts/${acme.id}`;

/** A gateway with a few of everything that an operator manages. */
const openLink = {
  organisation: null,
  id: 'lnk_1',
  email: 'alan@acme.example',
  account_id: null,
  account: null,
  created_by: 'ada@example.com',
  created_at: at(1),
  expires_at: at(-6),
};
const token = {
  account_id: null,
  created_by: 'ada@example.com',
  display: 'gwa_live_4f…9Qz',
  created_at: at(80),
  revoked_at: null,
  last_used_at: at(2),
};

const pro = { name: 'pro', models: ['*'], weight: 8, price_factor: '1.2' };

export const operatorReplies: Replies = {
  'GET /admin/v1/models': page(entry('model', { name: 'acme-large' }), entry('model', { name: 'acme-small' })),
  'GET /admin/v1/sites': page(
    entry('site', { name: 'main', domains: ['*'], models: ['*'] } as { name: string }, 'file'),
    entry('site', {
      name: 'partners',
      title: 'Acme Partners',
      domains: ['api.partners.example.com', '*.partners.example.com'],
      models: ['acme-large', 'acme-small', 'acme-vision', 'open-*', 'edge-mini'],
      sign_up: true,
      sign_up_package: 'free',
      honour_stream_false: true,
      messages_bearer: true,
    } as { name: string }),
  ),
  'POST /admin/v1/sites': entry('site', { name: 'lab' }),
  'PUT /admin/v1/sites/partners': entry('site', { name: 'partners' }),
  'GET /admin/v1/packages': page(
    entry('package', { name: 'standard', models: ['*'], weight: 2 } as { name: string }, 'file'),
    entry('package', { name: 'free', models: ['acme-small', 'edge-mini'] } as { name: string }),
    entry('package', pro),
  ),
  'PUT /admin/v1/packages/pro': entry('package', pro),
  'GET /admin/v1/accounts': page(...accounts),
  'POST /admin/v1/accounts': acme,
  [`GET ${path}`]: acme,
  [`POST ${path}/suspend`]: { ...acme, status: 'suspended' },
  [`POST ${path}/terminate`]: { ...acme, status: 'suspended' },
  [`GET ${path}/balance`]: {
    currency: 'USD',
    total: '412.865200',
    granted: '12.865200',
    topped_up: '400.000000',
    ...prepaid,
    spendable: '411.661200',
    reserved: '1.204000',
  },
  [`POST ${path}/credits`]: {
    currency: 'USD',
    total: '437.865200',
    granted: '37.865200',
    topped_up: '400.000000',
    ...prepaid,
    spendable: '437.865200',
    reserved: '0',
    is_new: true,
  },
  [`GET ${path}/ledger`]: page(
    { ...line, id: '1', reference: 'req_01JX8Q5ZK3', amount: '-0.004180' },
    { ...line, id: '2', reference: 'req_01JX8Q5ZK2', amount: '-1.284000', at: at(1) },
    {
      ...line,
      id: '3',
      kind: 'top_up',
      reference: 'INV-2026-0412',
      amount: '400.000000',
      by: 'ada@example.com',
      reason: 'Payment of invoice 0412',
      document: 'R-2026-000412',
      at: at(2),
    },
  ),
  [`GET ${path}/documents`]: page(
    billingDocument({ number: 'R-2026-000412', kind: 'receipt', amount: '400.00', reference: 'INV-2026-0412' }),
  ),
  'GET /admin/v1/keys': page(
    key({
      id: 'key_1',
      account_id: acme.id,
      name: 'Production',
      display: 'sk-gw-4f…9Qz',
      created_at: at(90),
      last_used_at: at(0),
      spent: '87.104220',
    }),
  ),
  'GET /account/v1/members': {
    data: [
      {
        id: 'usr_2',
        email: 'grace@acme.example',
        name: 'Grace Hopper',
        role: 'owner',
        since: at(30),
        version: 'v1',
        ...unlimited,
      },
    ],
  },
  'GET /account/v1/invitations': {
    data: [
      {
        id: 'lnk_1',
        email: 'alan@acme.example',
        role: 'viewer',
        created_by: 'ada',
        created_at: at(1),
        expires_at: at(-6),
      },
    ],
  },
  'GET /admin/v1/people': page(
    {
      id: 'usr_2',
      email: 'grace@acme.example',
      name: 'Grace Hopper',
      two_factor: true,
      operator: null,
      accounts: [
        { id: acme.id, name: 'acme', role: 'owner' },
        { id: 'acc_9', name: 'globex', role: 'viewer' },
      ],
      organisations: [],
      version: 'v1',
    },
    {
      id: 'usr_3',
      email: 'li@example.com',
      name: '李小龙',
      two_factor: false,
      operator: 'operator',
      accounts: [],
      organisations: [],
      version: 'v1',
    },
  ),
  'GET /admin/v1/operators': {
    data: [
      { id: 'usr_1', email: 'ada@example.com', name: 'Ada Lovelace', role: 'owner', since: at(300), version: 'v1' },
      { id: 'usr_3', email: 'li@example.com', name: '李小龙', role: 'operator', since: at(20), version: 'v1' },
    ],
  },
  'GET /admin/v1/links': page(
    { ...openLink, kind: 'account', role: 'owner', resets: null, account_id: acme.id, account: 'acme' },
    { ...openLink, id: 'lnk_2', kind: 'operator', role: 'read-only', resets: null },
    { ...openLink, id: 'lnk_3', kind: 'reset', role: null, resets: 'second-factor' },
  ),
  'GET /admin/v1/code-batches': page({
    id: 'bat_1',
    note: 'spring fair',
    amount: '5.00',
    kind: 'top_up',
    site: 'partners',
    package: null,
    expires_at: '2026-12-31T22:59:00.000Z',
    count: 100,
    redeemed: 12,
    withdrawn: 0,
    created_by: 'ada@example.com',
    created_at: '2026-02-01T09:00:00.000Z',
  }),
  'GET /admin/v1/tokens': page(
    { ...token, id: 'tok_1', name: 'Terraform', role: 'operator' },
    { ...token, id: 'tok_2', name: 'Old deploy script', role: 'owner', revoked_at: at(4) },
  ),
  'POST /admin/v1/people/usr_2/reset': {
    id: 'lnk_9',
    email: 'grace@acme.example',
    resets: 'both',
    expires_at: at(0),
    link: '/app/reset?token=gwl_example',
    mailed: true,
  },
  'GET /admin/v1/usage': {
    ...usageReply({
      withCost: true,
      values: [
        ['value', 'acc_2', 'globex'],
        ['value', acme.id, acme.name],
        ['value', 'acc_gone', null],
        ['other', null, null],
      ],
    }),
    top: topReply({
      model: ['deepseek-chat', 'thinker'],
      upstream: ['deepseek', 'openrouter'],
      error: ['upstream-failed'],
    }),
  },
  'GET /admin/v1/overview': {
    since: at(30),
    until: at(0),
    interval: 'day',
    currency: 'USD',
    is_complete: true,
    totals: { ...figures(4), spend: '104.210400', requests: 18_420, errors: 212, unwanted_streams: 0 },
    previous: { ...figures(3), spend: '96.880100', requests: 16_902, errors: 240 },
    top_keys: [],
    top_accounts: [],
    keys_with_unwanted_streams: [],
    errors_by_case: [],
    series: Array.from({ length: 30 }, (_, index) => ({ at: at(29 - index), ...figures(index) })),
    top_models: [
      { model: 'acme-large', spend: '88.120000', requests: 4210, errors: 8, prompt_tokens: 1, completion_tokens: 1 },
      { model: 'acme-small', spend: '16.090400', requests: 14_210, errors: 4, prompt_tokens: 1, completion_tokens: 1 },
    ],
  },
  'GET /admin/v1/audit': {
    data: [
      {
        id: 42,
        at: at(0),
        actor: 'ada@example.com',
        actor_name: null,
        role: 'owner',
        action: 'replacePackage',
        subject_kind: 'package',
        subject_id: 'pro',
        subject_name: 'pro',
        address: '198.51.100.7',
        device: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        before: { kind: 'package', name: 'pro', spec: { name: 'pro', models: ['acme-*'], weight: 4 } },
        after: { kind: 'package', name: 'pro', spec: { name: 'pro', models: ['*'], weight: 8 } },
        request_id: 'req_01JX8Q5ZK3',
      },
      {
        id: 41,
        at: at(1),
        actor: 'cli',
        actor_name: null,
        role: 'owner',
        action: 'createAccount',
        subject_kind: 'account',
        subject_id: acme.id,
        subject_name: 'acme',
        address: null,
        device: null,
        before: null,
        after: { id: acme.id, name: 'acme', package: 'pro', credit: '25' },
        request_id: null,
      },
      {
        id: 40,
        at: at(1),
        actor: 'tok_5n',
        actor_name: 'deploy script',
        role: 'operator',
        action: 'removeSite',
        subject_kind: 'site',
        subject_id: 'old',
        subject_name: 'old',
        address: '203.0.113.9',
        device: 'curl/8.5.0',
        before: { name: 'old', spec: { domains: ['old.example.com'] } },
        after: null,
        request_id: 'req_2',
      },
      {
        id: 39,
        at: at(1),
        actor: 'grace@acme.example',
        actor_name: null,
        role: 'account',
        action: 'failSignIn',
        subject_kind: 'sign-in',
        subject_id: 'usr_2',
        subject_name: 'grace@acme.example',
        before: null,
        after: { email: 'grace@acme.example', by: 'password' },
        address: '203.0.113.77',
        device: null,
        request_id: 'req_1',
      },
    ],
    next: 'more',
  },
  'GET /admin/v1/system': {
    version: '0.1.0',
    build: at(4),
    engine: 'postgres',
    release: '1.4.0',
    schema_version: '0014_spend_hours',
    currency: 'USD',
    process: { id: 'prc_9fK2', started_at: at(4), uptime_s: 345_900 },
    stored_responses: {
      responses: 1284,
      bytes: 9_412_880,
      accounts: [{ account_id: 'acc_1', account: 'acme', responses: 1284, bytes: 9_412_880 }],
    },
    dead_letter_charges: [
      {
        at: at(1),
        request_id: '20260131093000123abcdefghij',
        account_id: 'acc_1',
        account: 'acme',
        cost: '0.0371',
        error: 'error: new row for relation "transfers" violates check constraint "transfers_amount_check"',
        is_booked: false,
      },
      {
        at: at(2),
        request_id: '20260130093000123abcdefghij',
        account_id: 'acc_9',
        account: null,
        cost: '0.000002',
        error: 'error: canceling statement due to lock timeout',
        is_booked: true,
      },
    ],
    replicas: [
      { id: 'prc_9fK2', started_at: at(4), last_seen_at: new Date().toISOString(), is_alive: true, is_self: true },
      { id: 'prc_1aB7', started_at: at(4), last_seen_at: at(1), is_alive: false, is_self: false },
    ],
    config: {
      file: 'gateway.yaml',
      owned: [
        { kind: 'site', name: 'main' },
        { kind: 'package', name: 'standard' },
        { kind: 'upstream', name: 'primary' },
      ],
      drift: [{ kind: 'upstream', name: 'primary', difference: 'different' }],
      problems: ['The upstream `spare` names the environment variable SPARE_KEY, which is not set.'],
    },
  },
  'POST /admin/v1/ledger/verify': {
    is_valid: true,
    checks: [
      { title: 'the two sides of every transaction sum to zero', count: 18_433, violations: [] },
      { title: 'no request is charged twice', count: 18_420, violations: [] },
    ],
  },
};
