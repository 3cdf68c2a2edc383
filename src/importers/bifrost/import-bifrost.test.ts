import { argon2Sync, createCipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bifrostSchema } from '../../../test/importers/bifrost-source.ts';
import { fillSqlite, type SourceRows } from '../../../test/importers/source-tables.ts';
import { findingText } from '../findings.ts';
import type { SourceDocument } from '../importer.ts';
import type { ImportPlan } from '../plan.ts';
import { openTables } from '../readers/open-tables.ts';
import { Secret } from '../secret.ts';
import { importBifrost } from './import-bifrost.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-bifrost-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const now = Date.UTC(2026, 9, 15, 12);
const recently = new Date(now - 3_600_000);

async function planned(
  rows: SourceRows,
  encryptionKey?: string,
  documents: readonly SourceDocument[] = [],
): Promise<ImportPlan> {
  const file = join(folder, 'config.db');
  fillSqlite(file, bifrostSchema, rows);
  const tables = await openTables(file);
  try {
    return await importBifrost({
      tables,
      documents,
      saltKey: encryptionKey === undefined ? undefined : new Secret(encryptionKey),
      now,
    });
  } finally {
    await tables.close();
  }
}

function codes({ findings }: ImportPlan): readonly string[] {
  return [...new Set(findings.map(({ code }) => code))].sort();
}

/** Encrypts as Bifrost does. */
function sealed(text: string, passphrase: string): string {
  const salt = createHash('sha256').update(`bifrost-salt-v2:${passphrase}`).digest().subarray(0, 16);
  const key = argon2Sync('argon2id', {
    message: Buffer.from(passphrase),
    nonce: salt,
    memory: 65_536,
    passes: 1,
    parallelism: 4,
    tagLength: 32,
  });
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const governance: SourceRows = {
  config_providers: [
    {
      id: 1,
      name: 'openai',
      concurrency_buffer_json: { concurrency: 7, buffer_size: 9 },
      network_config_json: { base_url: 'https://proxy.example' },
    },
    { id: 2, name: 'anthropic' },
  ],
  config_keys: [
    {
      id: 1,
      name: 'a',
      provider_id: 1,
      provider: 'openai',
      key_id: 'ka',
      value: 'env.OPENAI_KEY',
      models_json: ['gpt-4o', 'gpt-4o-mini'],
      weight: 1,
    },
    {
      id: 2,
      name: 'b',
      provider_id: 1,
      provider: 'openai',
      key_id: 'kb',
      value: 'sk-second',
      models_json: ['gpt-4o', 'gpt-4o-mini'],
      weight: 1,
    },
    {
      id: 3,
      name: 'c',
      provider_id: 2,
      provider: 'anthropic',
      key_id: 'kc',
      value: 'sk-ant',
      models_json: ['claude-3-5-haiku-20241022'],
      aliases_json: { fast: 'claude-3-5-haiku-20241022' },
    },
  ],
  governance_customers: [{ id: 'c1', name: 'Acme', calendar_aligned: true }],
  governance_teams: [{ id: 't1', name: 'Red', customer_id: 'c1', rate_limit_id: 'r1' }],
  governance_virtual_keys: [
    {
      id: 'v1',
      name: 'ci',
      value: 'sk-bf-one',
      value_hash: hash('sk-bf-one'),
      is_active: true,
      team_id: 't1',
      calendar_aligned: true,
    },
    { id: 'v2', name: 'off', value: 'sk-bf-two', value_hash: hash('sk-bf-two'), is_active: false, customer_id: 'c1' },
    { id: 'v3', name: 'none', value: 'sk-bf-three', value_hash: hash('sk-bf-three'), is_active: true },
  ],
  governance_virtual_key_provider_configs: [
    { id: 1, virtual_key_id: 'v1', provider: 'openai', allowed_models: ['gpt-4o'] },
    { id: 2, virtual_key_id: 'v1', provider: 'anthropic', allowed_models: ['*'] },
    { id: 3, virtual_key_id: 'v2', provider: 'openai', allowed_models: ['*'] },
  ],
  governance_budgets: [
    {
      id: 'b1',
      max_limit: 10.5,
      reset_duration: '1M',
      last_reset: recently,
      current_usage: 1.25,
      virtual_key_id: 'v1',
    },
    {
      id: 'b2',
      max_limit: 100,
      reset_duration: '1M',
      last_reset: recently,
      current_usage: 50,
      team_id: 't1',
      override_amount: 20,
      override_mode: 'cycles',
      override_cycles_remaining: 2,
    },
    {
      id: 'b3',
      max_limit: 500,
      reset_duration: '1d',
      last_reset: new Date(now - 3 * 86_400_000),
      current_usage: 499,
      customer_id: 'c1',
    },
  ],
  governance_rate_limits: [{ id: 'r1', token_max_limit: 1000, token_reset_duration: '1m' }],
  governance_routing_rules: [{ id: 'x' }],
};

test('customers, teams and virtual keys become organisations, accounts and keys with their limits', async () => {
  const plan = await planned(governance);
  expect(plan.organisations).toMatchObject([
    { sourceId: 'c1', name: 'Acme', limits: [{ amount: 500_000_000_000n, period: 'day', spent: 0n }] },
  ]);
  expect(plan.accounts).toMatchObject([
    {
      sourceId: 'team:t1',
      organisation: 'c1',
      billing: 'postpaid',
      limits: [{ amount: 120_000_000_000n, period: 'month', spent: 50_000_000_000n }],
    },
    { sourceId: 'customer:c1', organisation: 'c1' },
    { sourceId: 'unassigned' },
  ]);
  expect(plan.keys).toMatchObject([
    {
      name: 'ci',
      account: 'team:t1',
      spendCap: 10_500_000_000n,
      capPeriod: 'month',
      spent: 1_250_000_000n,
      models: ['anthropic/*', 'openai/gpt-4o'],
      status: 'active',
    },
    { name: 'off', account: 'customer:c1', models: ['openai/*'], status: 'revoked' },
    { name: 'none', account: 'unassigned', status: 'revoked' },
  ]);
  expect((plan.keys[0]!.secret as { value: Secret }).value.reveal()).toBe('sk-bf-one');
  expect(codes(plan)).toEqual([
    'credential_in_environment',
    'key_blocked',
    'key_without_models',
    'override_stays',
    'price_from_table',
    'request_rates',
    'table_not_taken',
    'window_moved',
  ]);
  const texts = inspect(plan, { depth: 9 }) + plan.findings.map(findingText).join();
  expect(texts).not.toMatch(/sk-bf-|sk-second|sk-ant/);
});

test('provider keys with the same models become one upstream, and models have the names that clients use', async () => {
  const plan = await planned(governance);
  expect(plan.upstreams.map(({ spec }) => spec)).toEqual([
    { name: 'openai', kind: 'openai', base_url: 'https://proxy.example/v1', max_concurrency: 7 },
    { name: 'anthropic', kind: 'anthropic' },
  ]);
  expect((plan.upstreams[0]!.secrets.api_keys as Secret[]).map((each) => each.reveal())).toEqual([
    '${OPENAI_KEY}',
    'sk-second',
  ]);
  expect(plan.models.map(({ spec }) => [spec.id, spec.aliases, spec.routes[0]?.model])).toEqual([
    ['openai/gpt-4o', ['gpt-4o'], 'gpt-4o'],
    ['openai/gpt-4o-mini', ['gpt-4o-mini'], 'gpt-4o-mini'],
    ['anthropic/claude-3-5-haiku-20241022', ['claude-3-5-haiku-20241022'], 'claude-3-5-haiku-20241022'],
    ['anthropic/fast', ['fast'], 'claude-3-5-haiku-20241022'],
  ]);
});

test('a model of two providers can be named with and without its provider', async () => {
  const plan = await planned({
    config_providers: [
      { id: 1, name: 'openai' },
      { id: 2, name: 'openrouter' },
    ],
    config_keys: ['openai', 'openrouter'].map((provider, index) => ({
      id: index,
      name: provider,
      provider_id: index + 1,
      provider,
      key_id: provider,
      value: 'sk-x',
      models_json: ['gpt-4o'],
    })),
    governance_virtual_keys: ['v1', 'v2'].map((id) => ({ id, name: id, value: `sk-bf-${id}`, is_active: true })),
    governance_virtual_key_provider_configs: [
      { id: 1, virtual_key_id: 'v1', provider: 'openai', allowed_models: ['gpt-4o'] },
      { id: 2, virtual_key_id: 'v2', provider: 'openai', allowed_models: ['gpt-4o'] },
      { id: 3, virtual_key_id: 'v2', provider: 'openrouter', allowed_models: ['*'] },
    ],
  });
  expect(plan.models.map(({ spec }) => [spec.id, spec.routes.map(({ upstream }) => upstream)])).toEqual([
    ['openai/gpt-4o', ['openai']],
    ['openrouter/gpt-4o', ['openrouter']],
    ['gpt-4o', ['openai', 'openrouter']],
  ]);
  expect(plan.keys.map(({ models }) => models)).toEqual([
    ['openai/gpt-4o'],
    ['gpt-4o', 'openai/gpt-4o', 'openrouter/*'],
  ]);
  expect(codes(plan)).toEqual(['model_of_providers', 'price_from_table', 'shared_model_left_out']);
});

test('encrypted values open with the encryption key; without it, keys are taken by their hash', async () => {
  const passphrase = 'a passphrase of Bifrost';
  const rows: SourceRows = {
    config_providers: [{ id: 1, name: 'openai' }],
    config_keys: [
      {
        id: 1,
        name: 'a',
        provider_id: 1,
        provider: 'openai',
        key_id: 'a',
        value: sealed('sk-provider', passphrase),
        encryption_status: 'encrypted',
        models_json: ['gpt-4o'],
      },
    ],
    governance_virtual_keys: [
      {
        id: 'v',
        name: 'v',
        value: sealed('sk-bf-v', passphrase),
        value_hash: hash('sk-bf-v'),
        encryption_status: 'encrypted',
        is_active: true,
      },
    ],
    governance_virtual_key_provider_configs: [
      { id: 1, virtual_key_id: 'v', provider: 'openai', allowed_models: ['*'] },
    ],
  };
  const open = await planned(rows, passphrase);
  expect((open.upstreams[0]!.secrets.api_key as Secret).reveal()).toBe('sk-provider');
  expect((open.keys[0]!.secret as { value: Secret }).value.reveal()).toBe('sk-bf-v');
  expect(open.keys[0]!.models).toBeUndefined();
  rmSync(join(folder, 'config.db'));
  const closed = await planned(rows);
  expect(closed.upstreams).toMatchObject([{ spec: { enabled: false }, secrets: {} }]);
  expect(closed.keys[0]!.secret.form).toBe('sha256');
  expect(codes(closed)).toEqual(['credential_encrypted', 'price_from_table']);
});

test('a configuration file gives the same plan as the tables', async () => {
  const file = {
    encryption_key: 'env.X',
    providers: {
      openai: {
        keys: [{ name: 'a', value: 'env.OPENAI_KEY', models: ['gpt-4o'], weight: 1 }],
        network_config: { extra_headers: { 'x-team': 'red' } },
      },
    },
    governance: {
      virtual_keys: [
        {
          id: 'v1',
          name: 'ci',
          value: 'sk-bf-one',
          team_id: 't1',
          is_active: true,
          provider_configs: [{ provider: 'openai', allowed_models: ['*'] }],
          budgets: [{ id: 'b', max_limit: 0.1, reset_duration: '1w' }],
        },
      ],
      teams: [{ id: 't1', name: 'Red', budget_id: 'shared' }],
      budgets: [{ id: 'shared', max_limit: 3, reset_duration: '1d', current_usage: 0.2 }],
    },
  };
  const plan = await importBifrost({
    tables: undefined,
    documents: [{ name: 'config.json', text: JSON.stringify(file) }],
    saltKey: undefined,
    now,
  });
  expect(plan.accounts).toMatchObject([
    { name: 'Red', limits: [{ amount: 3_000_000_000n, period: 'day', spent: 200_000_000n }] },
  ]);
  expect(plan.keys).toMatchObject([
    { name: 'ci', account: 'team:t1', spendCap: 100_000_000n, capPeriod: 'week', models: undefined },
  ]);
  expect(plan.upstreams[0]!.secrets.headers).toBeDefined();
});

test('a configuration file that is given besides a database is reported, because only the database is read', async () => {
  const plan = await planned({}, undefined, [{ name: 'config.json', text: '{"providers": {"openai": {"keys": []}}}' }]);
  expect(plan.upstreams).toEqual([]);
  expect(plan.findings.map(({ code, params }) => [code, params])).toEqual([['file_not_read', { name: 'config.json' }]]);
});
