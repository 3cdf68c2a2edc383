import type { SourceRows, SourceSchema } from './source-tables.ts';

/** bcrypt of `alice-password`. */
export const aliceHash = '$2a$10$xGVAedZlWnHpqNfzYrOAru/X1UpB9ByhypdJH.O/tuYJk8yXSGzmq';

/** Times in seconds. */
const created = 1_700_000_000;
const past = 1_700_100_000;
const future = 4_000_000_000;

/** A key of the form that new-api makes: 48 letters and digits. */
export function oldKey(name: string): string {
  return name.padEnd(48, '0');
}

const serviceAccount = JSON.stringify({
  type: 'service_account',
  project_id: 'acme-project',
  client_email: 'importer@acme-project.iam.gserviceaccount.com',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n',
});

/** The tables of new-api that the importer reads, and two that it does not take. */
export const newApiSchema: SourceSchema = {
  users: {
    id: 'bigint',
    username: 'text',
    password: 'text',
    display_name: 'text',
    role: 'bigint',
    status: 'bigint',
    email: 'text',
    github_id: 'text',
    discord_id: 'text',
    oidc_id: 'text',
    wechat_id: 'text',
    telegram_id: 'text',
    access_token: 'text',
    quota: 'bigint',
    used_quota: 'bigint',
    request_count: 'bigint',
    group: 'text',
    aff_code: 'text',
    aff_quota: 'bigint',
    inviter_id: 'bigint',
    deleted_at: 'time',
    linux_do_id: 'text',
    setting: 'text',
    remark: 'text',
    stripe_customer: 'text',
  },
  tokens: {
    id: 'bigint',
    user_id: 'bigint',
    key: 'text',
    status: 'bigint',
    name: 'text',
    created_time: 'bigint',
    accessed_time: 'bigint',
    expired_time: 'bigint',
    remain_quota: 'bigint',
    unlimited_quota: 'boolean',
    model_limits_enabled: 'boolean',
    model_limits: 'text',
    allow_ips: 'text',
    used_quota: 'bigint',
    group: 'text',
    cross_group_retry: 'boolean',
    deleted_at: 'time',
  },
  channels: {
    id: 'bigint',
    type: 'bigint',
    key: 'text',
    openai_organization: 'text',
    status: 'bigint',
    name: 'text',
    weight: 'bigint',
    created_time: 'bigint',
    base_url: 'text',
    other: 'text',
    balance: 'float',
    models: 'text',
    group: 'text',
    used_quota: 'bigint',
    model_mapping: 'text',
    status_code_mapping: 'text',
    priority: 'bigint',
    auto_ban: 'bigint',
    tag: 'text',
    setting: 'text',
    param_override: 'text',
    header_override: 'text',
    channel_info: 'json',
    settings: 'text',
  },
  abilities: { group: 'text', model: 'text', channel_id: 'bigint', tag: 'text' },
  options: { key: 'text', value: 'text' },
  redemptions: {
    id: 'bigint',
    user_id: 'bigint',
    key: 'text',
    status: 'bigint',
    name: 'text',
    quota: 'bigint',
    expired_time: 'bigint',
    deleted_at: 'time',
  },
  logs: { id: 'bigint', user_id: 'bigint', content: 'text' },
  two_fas: { id: 'bigint', user_id: 'bigint' },
};

export const newApiRows: SourceRows = {
  users: [
    user(1, 'root', { role: 100, email: 'root@example.com', quota: 100_000_000, access_token: 'a'.repeat(32) }),
    user(2, 'alice', {
      email: 'Alice@example.com ',
      password: aliceHash,
      quota: 1_234_567,
      group: 'vip',
      aff_quota: 500,
    }),
    user(3, 'bob', { status: 2, quota: -250_000, github_id: '4711' }),
    user(4, 'carol', { role: 10, email: 'alice@EXAMPLE.com', quota: 0 }),
    user(5, 'gone', { email: 'gone@example.com', quota: 77, deleted_at: '2026-01-02 03:04:05.000' }),
    user(6, '无名', { display_name: '无名', email: 'wuming@example.com', quota: 9_007_199_254_740_993n, group: '' }),
    user(7, 'dave', { email: 'not an address', quota: 3, group: '国际' }),
  ],
  tokens: [
    token(1, 2, { name: 'plain', unlimited_quota: true, used_quota: 700_000 }),
    token(2, 2, { name: 'capped', remain_quota: 250_000, used_quota: 1_000_001 }),
    token(3, 2, { name: 'off', status: 2 }),
    token(4, 2, { name: 'expired', status: 3, expired_time: past, unlimited_quota: true }),
    token(5, 2, { name: 'exhausted', status: 4, remain_quota: -5, used_quota: 500_005 }),
    token(6, 2, { name: 'expired by hand', status: 3, unlimited_quota: true }),
    token(7, 2, {
      name: 'limited',
      unlimited_quota: true,
      model_limits_enabled: true,
      model_limits: 'gpt-4o,claude-sonnet-4',
    }),
    token(8, 2, { name: 'no models', unlimited_quota: true, model_limits_enabled: true, model_limits: '' }),
    token(9, 2, { name: 'addresses', unlimited_quota: true, allow_ips: '203.0.113.7\n10.1.0.0/16,\n not-an-address' }),
    token(10, 2, { name: 'nowhere', unlimited_quota: true, allow_ips: 'nonsense' }),
    token(11, 2, { name: 'other group', unlimited_quota: true, group: 'svip' }),
    token(12, 2, { name: 'dear group', unlimited_quota: true, group: 'default' }),
    token(13, 2, { name: 'auto', unlimited_quota: true, group: 'auto', cross_group_retry: true }),
    token(14, 5, { name: 'of a deleted user', unlimited_quota: true }),
    token(15, 2, { name: 'deleted', unlimited_quota: true, deleted_at: '2026-01-02 03:04:05.000' }),
    token(16, 3, { name: 'of a suspended user', unlimited_quota: true }),
    token(17, 6, { name: 'later\u0007 \u{1F511}', unlimited_quota: true, expired_time: future }),
    token(18, 6, { name: '', unlimited_quota: true, key: 'with-3' }),
    token(19, 6, { name: '', remain_quota: 500_000 }),
  ],
  channels: [
    channel(1, 1, {
      name: 'OpenAI main',
      key: 'sk-openai-1\nsk-openai-2\nsk-openai-3',
      channel_info: {
        is_multi_key: true,
        multi_key_size: 3,
        multi_key_status_list: { 1: 3 },
        multi_key_mode: 'random',
      },
      models: 'gpt-4o,gpt-5,gpt-5-high,text-embedding-3-small,per-call',
      priority: 10,
      weight: 0,
      openai_organization: 'org-acme',
    }),
    channel(2, 8, {
      name: 'relay',
      key: 'sk-relay',
      base_url: 'https://relay.example/v1/chat/completions',
      models: 'gpt-4o,tiered,unpriced',
      group: 'default,vip',
      model_mapping: '{"gpt-4o":"gpt-4o-latest","gpt-4o-latest":"gpt-4o-2024-11-20"}',
      weight: 3,
    }),
    channel(3, 14, { name: '主渠道', key: 'sk-ant-1', models: 'claude-sonnet-4', group: 'vip,svip' }),
    channel(4, 3, {
      name: 'azure',
      key: 'azure-key',
      base_url: 'https://acme.openai.azure.com/',
      other: '2024-10-21',
      models: 'gpt-3.5-turbo',
      created_time: created,
    }),
    channel(5, 33, { name: 'aws', key: 'AKIA1|secret1|eu-west-1', models: 'claude-sonnet-4', group: 'vip' }),
    channel(6, 33, {
      name: 'aws keys',
      key: 'api1|us-east-1',
      settings: '{"aws_key_type":"api_key"}',
      models: 'claude-sonnet-4',
    }),
    channel(7, 41, {
      name: 'vertex',
      key: serviceAccount,
      other: '{"default":"us-central1","gemini-2.5-pro":"europe-west4"}',
      models: 'gemini-2.5-pro,gemini-2.5-flash',
    }),
    channel(8, 49, { name: 'coze', key: 'coze-key', models: 'bot' }),
    channel(9, 999, { name: 'unknown', key: 'k', base_url: 'https://unknown.example', models: 'mystery' }),
    channel(10, 4, { name: 'ollama', key: '', models: 'llama3', status: 3 }),
    channel(11, 1, { name: 'off', key: 'sk-off', models: 'gpt-4o', status: 2, param_override: '{"temperature":0}' }),
    channel(12, 43, { name: 'relay', key: 'sk-ds', models: 'deepseek-chat', group: '国际' }),
  ],
  options: [
    { key: 'GroupRatio', value: '{"default":1,"vip":0.8,"svip":0.8,"国际":1.1234567}' },
    { key: 'GroupGroupRatio', value: '{"vip":{"vip":0.75,"svip":0.75}}' },
    { key: 'QuotaForNewUser', value: '500000' },
    { key: 'ModelRatio', value: '{"gpt-4o":1.25}' },
  ],
  redemptions: [
    { id: 1, user_id: 1, key: 'r1', status: 1, name: 'open', quota: 500_000, expired_time: 0, deleted_at: null },
    { id: 2, user_id: 1, key: 'r2', status: 1, name: 'late', quota: 500_000, expired_time: past, deleted_at: null },
    { id: 3, user_id: 1, key: 'r3', status: 3, name: 'used', quota: 500_000, expired_time: 0, deleted_at: null },
  ],
  logs: [{ id: 1, user_id: 2, content: "it's; a log" }],
  two_fas: [{ id: 1, user_id: 2 }],
};

/** A reply of `GET /api/pricing`. */
export const newApiPricing = JSON.stringify({
  success: true,
  data: [
    entry('gpt-4o', { model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5 }),
    entry('gpt-5', {
      model_ratio: 0.625,
      completion_ratio: 8,
      cache_ratio: 0.1,
      image_ratio: 2,
      audio_ratio: 16,
      audio_completion_ratio: 2,
    }),
    entry('gpt-5-high', { model_ratio: 0.625, completion_ratio: 8 }),
    entry('text-embedding-3-small', {
      model_ratio: 0.01,
      completion_ratio: 1,
      supported_endpoint_types: ['embeddings'],
    }),
    entry('per-call', { quota_type: 1, model_price: 0.04 }),
    entry('tiered', { billing_mode: 'tiered_expr', billing_expr: 'tier("base", p * 1 + c * 2) * 2' }),
    entry('claude-sonnet-4', { model_ratio: 1.5, completion_ratio: 5, cache_ratio: 0.1, create_cache_ratio: 1.25 }),
    entry('gpt-3.5-turbo', { model_ratio: 0.25, completion_ratio: 1.3333333333333333 }),
    entry('gemini-2.5-pro', { model_ratio: 0.625, completion_ratio: 8 }),
    entry('gemini-2.5-flash', { model_ratio: 0.15, completion_ratio: 8.333333333333334 }),
    entry('mystery', { model_ratio: 37.5, completion_ratio: 1 }),
    entry('bot', { model_ratio: 0, completion_ratio: 1 }),
    entry('llama3', { model_ratio: 0.1, completion_ratio: 1 }),
    entry('deepseek-chat', { model_ratio: 0.135, completion_ratio: 4.074074074 }),
  ],
  group_ratio: { default: 1 },
});

function user(id: number, username: string, rest: SourceRows[string][number]) {
  const usual = { password: '', display_name: username, role: 1, status: 1, email: '', github_id: '', used_quota: 0 };
  return { id, username, ...usual, group: 'default', aff_code: `aff${id}`, deleted_at: null, ...rest };
}

function token(id: number, owner: number, rest: SourceRows[string][number]) {
  const usual = { key: oldKey(`token${id}x`), status: 1, created_time: created, expired_time: -1, remain_quota: 0 };
  const off = { unlimited_quota: false, model_limits_enabled: false, model_limits: '', allow_ips: '', used_quota: 0 };
  return { id, user_id: owner, ...usual, ...off, group: '', cross_group_retry: false, deleted_at: null, ...rest };
}

function channel(id: number, type: number, rest: SourceRows[string][number]) {
  const usual = { status: 1, weight: 0, created_time: future, base_url: '', other: '', group: 'default', priority: 0 };
  return {
    id,
    type,
    ...usual,
    model_mapping: '',
    tag: null,
    channel_info: { is_multi_key: false },
    settings: '',
    ...rest,
  };
}

function entry(name: string, rest: Readonly<Record<string, unknown>>) {
  const usual = { quota_type: 0, model_ratio: 0, model_price: 0, completion_ratio: 0, enable_groups: ['default'] };
  return { model_name: name, ...usual, supported_endpoint_types: ['openai'], ...rest };
}
