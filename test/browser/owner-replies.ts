import { prepaid, soloAccount } from './team-replies.ts';
import { noPercentiles, percentiles, speeds, unmeasured, usageReply } from './usage-replies.ts';

/** A delivered event. */
const delivery = {
  id: 'dlv_1',
  webhook_id: 'whk_1',
  event_id: 'evt_5b0c27d1e2f4a6980c1d2e3f',
  event: 'balance.low',
  state: 'delivered',
  attempt_count: 1,
  next_at: null,
  created_at: '2026-02-01T10:00:00.000Z',
};

/** The replies for an account owner's pages, with consistent numbers. */
const january = month({ month: '2026-01', is_closed: true, top_ups: '10.00', charges: '-7.50', closing: '2.50' });

/** The performance of an unused and of a busy model. */
const performed = {
  day: { uptime: 1, ...speeds(480, 92) },
  week: { uptime: 0.998, ...speeds(520, 87) },
  month: { uptime: 0.941, ...speeds(1400, 64) },
};

const seller = {
  name: 'Example Ltd',
  address: ['1 Example Street', '10115 Berlin'],
  country: 'Germany',
  tax_number: 'DE123456789',
  email: 'billing@example.com',
};

const billingDetails = {
  name: '上海示例科技有限公司',
  address: ['浦东新区世纪大道 100 号', '上海 200120'],
  country: '中国',
  tax_number: '91310000MA1FL0X00X',
  email: 'caiwu@example.cn',
  seller,
};

export const ownerReplies = {
  'GET /account/v1/account': {
    id: 'acc_1',
    name: 'Acme',
    package: 'standard',
    status: 'active',
    display_name: null,
    time_zone: 'Europe/Berlin',
    ...soloAccount,
    source: 'store',
    created_at: '2026-01-01T10:00:00.000Z',
    balance: '12.480215',
    low_balance: '5',
    recent_spend: '22.10',
    keys: 2,
    last_used_at: minutesAgo(3),
    version: '0123456789abcdef',
  },
  'GET /account/v1/alerts': {
    low_balance: '5',
    recipients: null,
    digest: 'weekly',
    readers: ['ada@example.com', 'grace@example.com'],
    is_mail_on: true,
    version: '0123456789abcdef',
  },
  'GET /account/v1/webhooks': {
    data: [
      webhook({ id: 'whk_1', name: 'Billing robot', status: 'on', failing_since: minutesAgo(3) }),
      webhook({ id: 'whk_2', name: 'Old chat room', status: 'failed', events: ['balance.low', 'key.cap_reached'] }),
    ],
  },
  'GET /account/v1/deliveries': {
    data: [
      {
        ...delivery,
        id: 'dlv_2',
        event: 'key.created',
        state: 'waiting',
        attempt_count: 2,
        next_at: new Date(Date.now() + 90_000).toISOString(),
        attempts: [{ at: minutesAgo(1), status: 503, fault: 'status', duration_ms: 120 }],
      },
      { ...delivery, attempts: [{ at: minutesAgo(3), status: 200, fault: null, duration_ms: 80 }] },
    ],
    next: null,
  },
  'GET /account/v1/balance': {
    currency: 'USD',
    total: '12.480215',
    granted: '2.480215',
    topped_up: '10',
    ...prepaid,
    spendable: '12.449015',
    reserved: '0.0312',
  },
  'GET /account/v1/overview': overview(),
  'GET /account/v1/usage/breakdown': usageReply({
    values: [
      ['value', 'house/large', null],
      ['value', 'house/small', null],
      ['value', 'draft', null],
      ['none', null, null],
      ['other', null, null],
    ],
  }),
  'GET /account/v1/keys': {
    data: [
      key({ id: 'key_1', name: 'Laptop', spent: '3.204518', last_used_at: minutesAgo(3) }),
      key({
        id: 'key_2',
        name: 'Staging server',
        models: ['house/large', 'house/small'],
        spend_cap: '25',
        cap_period: 'month',
        cap_spent: '18.92',
        cap_renews_at: '2099-01-31T23:00:00.000Z',
        max_concurrency: 4,
        addresses: ['203.0.113.0/24', '2001:db8::/32'],
        honour_stream_false: true,
        store_bodies: true,
        spent: '18.92',
        expires_at: '2099-01-31T22:59:59.000Z',
        last_used_at: minutesAgo(600),
      }),
      key({ id: 'key_3', name: 'Old script', state: 'revoked', spent: '0.5', revoked_at: '2026-01-05T10:00:00.000Z' }),
    ],
    next: null,
  },
  'GET /account/v1/models': {
    site: 'default',
    base_urls: { openai: 'https://api.example.com/v1', anthropic: 'https://api.example.com/anthropic' },
    data: [
      model({
        id: 'house/large',
        aliases: ['large'],
        thinking: true,
        description: 'Thinks before it answers. Best for code, long documents and agents that use tools.',
        reliability: 0.996,
        performance: performed,
      }),
      model({ id: 'house/small', surfaces: ['openai'], max_output_tokens: null, reliability: null }),
      model({ id: 'draft', surfaces: ['anthropic'], context_window: null, price: free(), reliability: null }),
    ],
  },
  'GET /account/v1/payments': {
    is_offered: true,
    currency: 'USD',
    amount_min: '5.00',
    amount_max: '1000.00',
    data: [],
  },
  'GET /account/v1/auto-top-up': {
    is_offered: true,
    currency: 'USD',
    amount_min: '5.00',
    amount_max: '1000.00',
    card: { brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2099 },
    settings: { threshold: '5.00', amount: '20.00', monthly_max: '100.00' },
    charged_this_month: '40.00',
    month_ends_at: '2099-02-01T00:00:00.000Z',
    pause: null,
  },
  'GET /account/v1/statements': {
    data: [month({ month: '2026-02', opening: '2.50', charges: '-0.02', closing: '12.48' }), january],
  },
  'GET /account/v1/statements/2026-01': {
    ...january,
    models: [
      { model: 'house/large', amount: '-6.40' },
      { model: null, amount: '-1.10' },
    ],
    document: 'S-2026-000003',
    seller,
    customer: {
      name: '上海示例科技有限公司',
      address: ['世纪大道 100 号'],
      country: '中国',
      tax_number: null,
      email: null,
    },
  },
  'GET /account/v1/documents': {
    data: [
      billingDocument({ number: 'S-2026-000003', kind: 'statement', amount: '7.50', reference: '2026-01' }),
      billingDocument({
        number: 'C-2026-000002',
        kind: 'credit_note',
        amount: '-4.00',
        reference: 'pay_16 refund 400',
      }),
      billingDocument({ number: 'R-2026-000017', kind: 'receipt', amount: '10.00', reference: 'invoice 17' }),
    ],
    next: null,
  },
  'GET /account/v1/billing-details': billingDetails,
  'PUT /account/v1/billing-details': billingDetails,
  'GET /account/v1/statements/2026-01/lines': {
    data: [
      {
        ...line({ id: '1.top_up.i', kind: 'top_up', reference: 'invoice 16', amount: '10.00' }),
        balance: '10.00',
        price_factor: null,
      },
      {
        ...line({ id: '2.charge.r', kind: 'charge', reference: 'req_01K9Z5', amount: '-7.50' }),
        key_id: 'key_1',
        key_name: 'Laptop',
        balance: '2.50',
        price_factor: '1.20',
      },
    ],
    next: null,
  },
  'GET /account/v1/ledger': {
    data: [
      ledgerLine({
        id: '3',
        kind: 'charge',
        amount: '-0.004125',
        reference: 'req_01K9Z7',
        key_id: 'key_1',
        key_name: 'Laptop',
      }),
      ledgerLine({
        id: '2',
        kind: 'charge-rest',
        amount: '-0.0002',
        reference: 'req_01K9Z6',
        key_id: 'key_2',
        key_name: 'Staging server',
      }),
      ledgerLine({
        id: '1',
        kind: 'top_up',
        amount: '10',
        reference: 'invoice 17',
        reason: 'paid',
        by: 'operator',
        document: 'R-2026-000017',
        key_name: null,
      }),
    ],
    next: null,
  },
};

/** An account without any requests. */
export const unusedReplies = {
  ...ownerReplies,
  'GET /account/v1/account': { ...ownerReplies['GET /account/v1/account'], keys: 0, last_used_at: null },
  'GET /account/v1/documents': { data: [], next: null },
  'GET /account/v1/overview': overview(0),
  'GET /account/v1/keys': { data: [], next: null },
  'GET /account/v1/ledger': { data: [], next: null },
};

function overview(busy = 1) {
  const series = Array.from({ length: 7 }, (_, day) => ({
    at: new Date(Date.UTC(2026, 1, 1 + day, 23)).toISOString(),
    ...figures(busy * (3 + ((day * 5) % 7))),
  }));
  const top = (share: number) => {
    const { requests, errors, prompt_tokens, completion_tokens } = figures(busy * 30 * share);
    return { spend: (busy * 6.4 * share).toFixed(6), requests, errors, prompt_tokens, completion_tokens };
  };
  return {
    since: '2026-02-01T23:00:00.000Z',
    until: '2026-02-08T23:00:00.000Z',
    interval: 'day',
    currency: 'USD',
    is_complete: true,
    totals: { ...figures(busy * 42), spend: (busy * 6.4).toFixed(6), unwanted_streams: busy * 15 },
    previous: busy ? { ...figures(36), spend: '5.210000' } : null,
    series,
    top_models: busy
      ? [
          { model: 'house/large', ...top(0.7) },
          { model: 'house/small', ...top(0.3) },
        ]
      : [],
    top_keys: busy
      ? [
          { id: 'key_2', name: 'Staging server', ...top(0.8) },
          { id: 'key_1', name: 'Laptop', ...top(0.2) },
        ]
      : [],
    keys_with_unwanted_streams: busy
      ? [
          { id: 'key_1', name: 'Laptop', unwanted_streams: 9, requests: 27, honour_stream_false: false },
          { id: 'key_0', name: null, unwanted_streams: 2, requests: 2, honour_stream_false: false },
          { id: 'key_2', name: 'Staging server', unwanted_streams: 4, requests: 96, honour_stream_false: true },
        ]
      : [],
    errors_by_case: busy ? [{ error_case: 'upstream-timeout', status: 504, requests: 11 }] : [],
  };
}

function figures(size: number) {
  return {
    spend: (size * 0.1523).toFixed(6),
    requests: Math.round(size * 31),
    errors: Math.round(size / 3),
    prompt_tokens: Math.round(size * 41_000),
    completion_tokens: Math.round(size * 9000),
    cached_tokens: Math.round(size * 17_000),
    reasoning_tokens: Math.round(size * 1000),
    cache_savings: (size * 0.0421).toFixed(6),
    ...(size === 0 ? noPercentiles : percentiles(size % 10)),
  };
}

export function key(more: Readonly<Record<string, unknown>>) {
  return {
    account_id: 'acc_1',
    display: 'gwk_live_ab..yz',
    state: 'active',
    models: null,
    spend_cap: null,
    cap_period: null,
    cap_spent: null,
    cap_renews_at: null,
    rotated_from: null,
    member_id: null,
    member: null,
    first_id: 'key_1',
    max_concurrency: null,
    addresses: null,
    honour_stream_false: false,
    report_cost: false,
    store_bodies: false,
    spent: '0',
    created_at: '2026-01-01T10:00:00.000Z',
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    version: '0123456789abcdef',
    ...more,
  };
}

export function model(more: Readonly<Record<string, unknown>>) {
  return {
    aliases: [],
    description: null,
    owned_by: 'house',
    surfaces: ['openai', 'anthropic'],
    endpoints: [],
    context_window: 200_000,
    max_output_tokens: 32_000,
    thinking: false,
    price: {
      input: '3',
      cached_input: '0.3',
      cache_write_5m: '3.75',
      cache_write_30m: '3.75',
      cache_write_1h: '6',
      cache_write_12h: '6',
      input_audio: '3',
      input_image: '3',
      output: '15',
      reasoning: '15',
      output_audio: '15',
      tiers: [],
      provider_tools: {},
      units: {},
      is_free: false,
    },
    performance: { day: unmeasured, week: unmeasured, month: unmeasured },
    ...more,
  };
}

function free() {
  return {
    input: '0',
    cached_input: '0',
    cache_write_5m: '0',
    cache_write_30m: '0',
    cache_write_1h: '0',
    cache_write_12h: '0',
    input_audio: '0',
    input_image: '0',
    output: '0',
    reasoning: '0',
    output_audio: '0',
    tiers: [],
    provider_tools: {},
    units: {},
    is_free: true,
  };
}

function month(more: Readonly<Record<string, unknown>>) {
  const none = {
    opening: '0.00',
    open_amount: '0.00',
    top_ups: '0.00',
    grants: '0.00',
    refunds: '0.00',
    adjustments: '0.00',
    reversals: '0.00',
  };
  const span = {
    time_zone: 'UTC',
    starts_at: '2026-01-01T00:00:00.000Z',
    ends_at: '2026-02-01T00:00:00.000Z',
  };
  return { ...span, ...none, is_closed: false, currency: 'USD', ...more };
}

function line(more: Readonly<Record<string, unknown>>) {
  return {
    at: '2026-02-08T12:00:00.000Z',
    key_id: null,
    key_name: null,
    by: 'gateway',
    reason: 'request',
    price_version: null,
    ...more,
  };
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

function webhook(more: object) {
  return {
    url: 'https://hooks.example.com/services/T0/B0/a-rather-long-name-of-an-address-that-has-to-be-wrapped-somewhere',
    events: null,
    source: 'store',
    created_at: '2026-01-01T10:00:00.000Z',
    failing_since: null,
    old_secret_until: null,
    version: '0123456789abcdef',
    ...more,
  };
}

/** A line of the ledger. */
function ledgerLine(more: Parameters<typeof line>[0]) {
  return { document: null, ...line(more) };
}

export function billingDocument(more: Readonly<Record<string, unknown>>) {
  return { issued_at: '2026-02-01T01:00:00.000Z', currency: 'USD', ...more };
}
