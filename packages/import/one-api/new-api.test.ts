import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiPricing, newApiRows, newApiSchema, oldKey } from '../fixtures/new-api-database.ts';
import { fillSqlite, mysqlDump } from '../fixtures/source-tables.ts';
import { findingText } from '../findings.ts';
import type { ImportPlan } from '../plan.ts';
import { Secret } from '../secret.ts';
import { importNewApi, importOneApi } from './one-api.ts';
import { plannedImport } from '../../../test/planned-import.ts';

const now = Date.UTC(2026, 10, 18);
let folder: string;
let plan: ImportPlan;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-new-api-'));
  fillSqlite(join(folder, 'one-api.db'), newApiSchema, newApiRows);
  plan = await planOf(join(folder, 'one-api.db'));
});
afterAll(() => rm(folder, { recursive: true }));

function planOf(database: string, pricing: string | null = newApiPricing): Promise<ImportPlan> {
  const documents = pricing === null ? [] : [{ name: 'pricing.json', text: pricing }];
  return plannedImport(importNewApi, { database, documents, now });
}

test('users become accounts with their exact balance, and suspended users stay suspended', () => {
  const accounts = plan.accounts.map(({ name, balance, status, packageName }) => ({
    name,
    balance,
    status,
    packageName,
  }));
  expect(accounts).toEqual([
    { name: 'root', balance: 200_000_000_000n, status: 'active', packageName: 'default' },
    { name: 'alice', balance: 2_469_134_000n, status: 'active', packageName: 'vip' },
    { name: 'bob', balance: -500_000_000n, status: 'suspended', packageName: 'default' },
    { name: 'carol', balance: 0n, status: 'active', packageName: 'default' },
    { name: 'user-6', balance: 999_999_999_000_000_000n, status: 'active', packageName: 'default' },
    { name: 'dave', balance: 6_000n, status: 'active', packageName: 'group' },
  ]);
});

test('people own the accounts of their e-mail address and keep their password', () => {
  const people = plan.users.map(({ email, password, memberships }) => ({
    email,
    form: password?.form,
    accounts: memberships.map(({ account }) => account),
  }));
  expect(people).toEqual([
    { email: 'root@example.com', form: undefined, accounts: ['1'] },
    { email: 'alice@example.com', form: 'bcrypt', accounts: ['2', '4'] },
    { email: 'wuming@example.com', form: undefined, accounts: ['6'] },
  ]);
});

test('tokens become keys with what remains of their quota, and no key becomes usable that was not', () => {
  const keys = Object.fromEntries(plan.keys.map((key) => [key.name, key]));
  expect(keys['plain']).toMatchObject({
    account: '2',
    member: '2',
    spendCap: undefined,
    spent: 1_400_000_000n,
    status: 'active',
  });
  expect(keys['plain']?.secret).toEqual({ form: 'new-api', value: expect.any(Secret) });
  expect(keys['plain']?.secret.form === 'new-api' && keys['plain'].secret.value.reveal()).toBe(oldKey('token1x'));
  expect(keys['capped']).toMatchObject({ spendCap: 2_500_002_000n, spent: 2_000_002_000n });
  expect(keys['off']?.status).toBe('revoked');
  expect(keys['expired']).toMatchObject({ status: 'active', expiresAt: 1_700_100_000_000 });
  expect(keys['exhausted']).toMatchObject({ status: 'active', spendCap: 1_000_000_000n, spent: 1_000_010_000n });
  expect(keys['expired by hand']?.status).toBe('revoked');
  expect(keys['limited']?.models).toEqual(['gpt-4o', 'claude-sonnet-4']);
  expect(keys['no models']?.status).toBe('revoked');
  expect(keys['addresses']).toMatchObject({ status: 'active', addresses: ['203.0.113.7', '10.1.0.0/16'] });
  expect(keys['nowhere']?.status).toBe('revoked');
  expect(keys['other group']?.models).toEqual(['claude-sonnet-4']);
  expect(keys['dear group']?.models).toBeUndefined();
  expect(keys['later \u{1F511}']?.expiresAt).toBe(4_000_000_000_000);
  expect(keys['key-19']).toMatchObject({ account: '6', spendCap: 1_000_000_000n });
  expect(Object.keys(keys)).toHaveLength(16);
});

test('groups become packages with the factor that their own users pay', () => {
  expect(plan.packages.map(({ spec }) => spec)).toEqual([
    { name: 'default', price_factor: '1.00', models: expect.arrayContaining(['gpt-4o', 'gpt-3.5-turbo', 'per-call']) },
    { name: 'vip', price_factor: '0.75', models: ['gpt-4o', 'claude-sonnet-4'] },
    { name: 'svip', price_factor: '0.80', models: ['claude-sonnet-4'] },
    { name: 'group', price_factor: '1.123457', models: ['deepseek-chat'] },
  ]);
});

test('channels become upstreams of the kind of their provider', () => {
  const upstreams = plan.upstreams.map(({ spec: { name: _name, ...spec }, secrets }) => ({
    spec,
    secrets: revealed(secrets),
  }));
  expect(upstreams).toEqual([
    {
      spec: { kind: 'openai' },
      secrets: { api_keys: ['sk-openai-1', 'sk-openai-3'], headers: { 'OpenAI-Organization': 'org-acme' } },
    },
    { spec: { kind: 'openai', base_url: 'https://relay.example/v1' }, secrets: { api_key: 'sk-relay' } },
    { spec: { kind: 'anthropic' }, secrets: { api_key: 'sk-ant-1' } },
    {
      spec: { kind: 'azure', base_url: 'https://acme.openai.azure.com/openai/v1' },
      secrets: { api_key: 'azure-key' },
    },
    {
      spec: { kind: 'bedrock', region: 'eu-west-1' },
      secrets: { access_key_id: 'AKIA1', secret_access_key: 'secret1' },
    },
    { spec: { kind: 'bedrock', region: 'us-east-1' }, secrets: { api_key: 'api1' } },
    {
      spec: { kind: 'vertex', project: 'acme-project', location: 'us-central1' },
      secrets: { service_account: expect.stringContaining('BEGIN PRIVATE KEY') },
    },
    {
      spec: { kind: 'vertex', project: 'acme-project', location: 'europe-west4' },
      secrets: { service_account: expect.any(String) },
    },
    {
      spec: { kind: 'openai', base_url: 'https://unknown.invalid/v1', enabled: false },
      secrets: { api_key: 'coze-key' },
    },
    { spec: { kind: 'openai', base_url: 'https://unknown.example', enabled: false }, secrets: { api_key: 'k' } },
    { spec: { kind: 'ollama', enabled: false }, secrets: {} },
    { spec: { kind: 'openai', enabled: false }, secrets: { api_key: 'sk-off' } },
    { spec: { kind: 'deepseek' }, secrets: { api_key: 'sk-ds' } },
  ]);
});

test('models have a route for each channel, the highest priority first, and the price of the running instance', () => {
  const models = new Map(plan.models.map(({ spec }) => [spec.id, spec]));
  expect(models.get('gpt-4o')).toEqual({
    id: 'gpt-4o',
    routes: [
      { upstream: 'OpenAI-main', priority: 0, weight: 1 },
      { upstream: 'relay', model: 'gpt-4o-2024-11-20', priority: 1, weight: 3 },
      { upstream: 'off', priority: 1, weight: 1 },
    ],
    price: { input: '2.50', output: '10.00', cached_input: '1.25', cache_write_5m: '3.125', cache_write_1h: '5.00' },
  });
  expect(models.get('gpt-5')?.price).toMatchObject({
    input: '1.25',
    output: '10.00',
    input_image: '2.50',
    input_audio: '20.00',
    output_audio: '40.00',
  });
  expect(models.get('gpt-5-high')?.routes[0]).toMatchObject({ model: 'gpt-5' });
  expect(models.get('text-embedding-3-small')).toMatchObject({ endpoints: ['embeddings'], price: { input: '0.02' } });
  expect(models.get('per-call')?.price).toEqual({ input: '0.00', output: '0.00', units: { request: '0.04' } });
  expect(models.get('gpt-3.5-turbo')).toMatchObject({
    routes: [{ upstream: 'azure', model: 'gpt-35-turbo' }],
    price: { input: '0.50', output: '0.666667' },
  });
  expect(models.get('gemini-2.5-pro')?.routes[0]?.upstream).toBe('vertex-europe-west4');
  expect(models.get('gemini-2.5-flash')?.routes[0]?.upstream).toBe('vertex');
  expect(models.has('tiered')).toBe(false);
  expect(models.has('unpriced')).toBe(false);
});

test('every difference is a finding, and no finding has a secret', () => {
  const codes = new Set<string>(plan.findings.map(({ code }) => code));
  for (const code of [
    'name_replaced',
    'quota_negative',
    'quota_too_large',
    'email_missing',
    'email_shared',
    'operator_proposed',
    'password_unknown',
    'sign_in_lost',
    'invitation_quota_lost',
    'access_tokens_lost',
    'rows_deleted',
    'key_off',
    'key_exhausted',
    'key_models_none',
    'key_addresses_unreadable',
    'key_group_narrowed',
    'key_group_lost',
    'key_group_auto',
    'key_owner_missing',
    'key_value_unusable',
    'factor_rounded',
    'price_expression',
    'price_missing',
    'price_rounded',
    'model_suffix',
    'routes_of_groups',
    'channel_keys_off',
    'channel_off_by_itself',
    'channel_setting_not_taken',
    'kind_unknown',
    'codes_not_taken',
    'table_not_taken',
    'setting_not_taken',
  ]) {
    expect(codes).toContain(code);
  }
  const texts = plan.findings.map(findingText).join('\n');
  expect(texts).not.toMatch(/sk-|AKIA|secret1|azure-key|coze-key|PRIVATE KEY|token\d+x|\$2a/);
  expect(
    JSON.stringify(plan, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toMatch(/sk-(?:openai|relay|ant|off|ds)|AKIA|PRIVATE KEY|token\d+x|\$2a/);
});

test('a dump of MySQL gives the same plan as the SQLite file', async () => {
  const file = join(folder, 'dump.sql');
  await writeFile(file, mysqlDump(newApiSchema, newApiRows));
  expect(comparable(await planOf(file))).toEqual(comparable(plan));
});

test('without the prices of the running instance, no model is taken', async () => {
  const without = await planOf(join(folder, 'one-api.db'), null);
  expect(without.models).toEqual([]);
  expect(without.accounts).toEqual(plan.accounts);
  expect(without.findings.find(({ code }) => code === 'prices_not_given')?.params).toMatchObject({ count: 15 });
});

test('quota that is no whole number is reported, and a time beyond all others means never', async () => {
  const file = join(folder, 'odd.db');
  fillSqlite(file, newApiSchema, {
    ...newApiRows,
    users: [
      { ...newApiRows['users']![1], quota: 12_345.75 },
      { ...newApiRows['users']![2], quota: 'lots' },
    ],
    tokens: [
      { ...newApiRows['tokens']![0], expired_time: 9_999_999_999_999n },
      { ...newApiRows['tokens']![1], expired_time: 253_402_300_799 },
    ],
  });
  const odd = await planOf(file);
  expect(odd.accounts.map(({ balance }) => balance)).toEqual([0n, 0n]);
  const unreadable = odd.findings.filter(({ code }) => code === 'amount_unreadable');
  expect(unreadable.map(({ params }) => params['amount'])).toEqual(['12345.75', 'lots']);
  expect(odd.keys.map(({ expiresAt }) => expiresAt)).toEqual([undefined, Date.UTC(9999, 11, 31, 23, 59, 59)]);
});

test('a price by expression becomes a price with tiers, and the plan asks to compare it', async () => {
  const { data } = JSON.parse(newApiPricing) as { data: { model_name: string }[] };
  const billing_expr = 'len <= 200000 ? tier("a", p * 1.25 + c * 10) : tier("b", p * 2.5 + c * 15 + cr * 0.25)';
  const pricing = data.map((each) => (each.model_name === 'tiered' ? { ...each, billing_expr } : each));
  const read = await planOf(join(folder, 'one-api.db'), JSON.stringify({ data: pricing }));
  expect(read.models.find(({ sourceId }) => sourceId === 'tiered')?.spec.price).toEqual({
    input: '1.25',
    output: '10.00',
    tiers: [{ when: { prompt_over: 200_000 }, input: '2.50', output: '15.00', cached_input: '0.25' }],
  });
  expect(read.findings.find(({ code }) => code === 'price_expression_read')?.params).toEqual({
    expression: billing_expr,
  });
});

test('open redemption codes are listed with their number and value', async () => {
  const file = join(folder, 'codes.db');
  const code = (id: number, quota: number, rest = {}) => ({
    id,
    key: `r${id}`,
    status: 1,
    quota,
    expired_time: 0,
    ...rest,
  });
  const redemptions = [code(1, 500_000), code(2, 500_000), code(3, 250_000), code(4, 9, { status: 3 })];
  fillSqlite(file, newApiSchema, { ...newApiRows, redemptions });
  const found = (await planOf(file)).findings.filter(({ code: each }) => each === 'codes_not_taken');
  expect(found.map(({ params }) => params)).toEqual([
    { count: 2, amount: '1.00' },
    { count: 1, amount: '0.50' },
  ]);
});

test('a database of the other product is refused', async () => {
  const planned = plannedImport(importOneApi, { database: join(folder, 'one-api.db') });
  await expect(planned).rejects.toThrow('is a database of new-api, not of one-api');
});

/** Secrets compare by their values. */
export function comparable(made: ImportPlan): unknown {
  return JSON.parse(
    JSON.stringify({ ...made, keys: made.keys.map((key) => ({ ...key, secret: revealed(key.secret) })) }, bigints),
  );
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, revealed(part)]));
}
