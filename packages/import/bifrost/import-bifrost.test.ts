import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bifrostNow, bifrostPassphrase, bifrostStore } from '../fixtures/bifrost-source.ts';
import { findingText } from '../findings.ts';
import type { SourceDocument } from '../importer.ts';
import type { ImportPlan } from '../plan.ts';
import { openTables } from '../readers/open-tables.ts';
import type { Secret } from '../secret.ts';
import { importBifrost } from './import-bifrost.ts';
import { tableUse, unknownColumns } from './known-columns.ts';
import { plannedImport } from '../../../test/planned-import.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-bifrost-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Source {
  readonly form?: 'plain' | 'encrypted';
  readonly passphrase?: string;
  readonly statements?: readonly string[];
  readonly documents?: readonly SourceDocument[];
}

function planned({ form = 'plain', passphrase, statements, documents }: Source = {}): Promise<ImportPlan> {
  const database = bifrostStore(folder, form, statements);
  return plannedImport(importBifrost, { database, documents, key: passphrase, now: bifrostNow });
}

function codes({ findings }: ImportPlan): readonly string[] {
  return [...new Set(findings.map(({ code }) => code))].sort();
}

function keyOf({ keys }: ImportPlan, name: string): ImportPlan['keys'][number] {
  return keys.find((key) => key.name === name)!;
}

/** The limits that make a key arrive revoked. */
function unfit({ findings }: ImportPlan, name: string): readonly string[] {
  return findings.flatMap(({ code, params }) =>
    code === 'key_limits_lost' && params['name'] === name ? String(params['limits']).split(', ') : [],
  );
}

const forms = [{ form: 'plain' as const }, { form: 'encrypted' as const, passphrase: bifrostPassphrase }];

describe.each(forms)('a store that Bifrost wrote, $form', (source) => {
  test('has all of its customers, teams and virtual keys in the plan, with their limits and their spend', async () => {
    const plan = await planned(source);
    const day = { amount: 40_000_000_000n, period: 'day', spent: 4_346_000n };
    expect(plan.organisations).toMatchObject([
      { name: 'Acme', limits: [{ amount: 100_000_000_000n, period: 'month', spent: 4_492_000n }] },
    ]);
    const acme = plan.organisations[0]!.sourceId;
    expect(plan.accounts.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toMatchObject([
      { name: 'Acme', organisation: acme, limits: [] },
      { name: 'bifrost', limits: [] },
      { name: 'blue', limits: [] },
      { name: 'red', organisation: acme, billing: 'postpaid', limits: [day] },
    ]);
    const cap = (spendCap: bigint, spent: bigint) => ({ spendCap, capPeriod: 'day', spent });
    expect(keyOf(plan, 'capped')).toMatchObject({ ...cap(9_000_000_000n, 4_346_000n), status: 'active' });
    expect(keyOf(plan, 'reached')).toMatchObject({ ...cap(10_000n, 29_200n), status: 'active' });
    expect(keyOf(plan, 'provider cap')).toMatchObject(cap(10_000n, 29_200n));
    expect(keyOf(plan, 'one model')).toMatchObject({ models: ['old/u-7-5'], status: 'revoked' });
    expect(keyOf(plan, 'blacklist')).toMatchObject({ models: ['old/u-7-5'], status: 'active' });
    expect(keyOf(plan, 'no provider')).toMatchObject({ models: [], status: 'revoked' });
    expect(keyOf(plan, 'off')).toMatchObject({ status: 'revoked' });
    expect(keyOf(plan, 'expired').expiresAt).toBeLessThan(bifrostNow);
    expect(keyOf(plan, 'ends tomorrow').expiresAt).toBeGreaterThan(bifrostNow);
    expect(keyOf(plan, 'of the customer').account).toBe(`customer:${acme}`);
    expect(keyOf(plan, 'client 0')).toMatchObject({ models: undefined, status: 'active' });
    expect(plan.models).toMatchObject([
      { spec: { id: 'old/u-7-5', aliases: ['u-7-5'], price: { input: '1.10', output: '4.30' } } },
      { spec: { id: 'old/u-100-50', aliases: ['u-100-50'], price: { input: '3.00', output: '15.00' } } },
    ]);
    expect((plan.upstreams[0]!.secrets.api_key as Secret).reveal()).toBe('sk-provider-canary');
    expect(codes(plan)).toEqual([
      'address_private',
      'amount_rounded',
      'key_blocked',
      'key_without_models',
      'window_moved',
    ]);
    expect(inspect(plan, { depth: 9 }) + plan.findings.map(findingText).join()).not.toMatch(/sk-bf-|sk-provider/);
  });
});

test('each key of an encrypted store opens with the passphrase, and is known by its hash without it', async () => {
  const open = await planned({ form: 'encrypted', passphrase: bifrostPassphrase });
  const closed = await planned({ form: 'encrypted' });
  const wrong = await planned({ form: 'encrypted', passphrase: 'another passphrase, also long enough' });
  const hashes = open.keys.map(({ secret }) => hash('sha256', (secret as { value: Secret }).value.reveal()));
  expect(hashes).toHaveLength(72);
  for (const { keys, upstreams } of [closed, wrong]) {
    expect(keys.map(({ secret }) => (secret as { digest: Secret }).digest.reveal())).toEqual(hashes);
    expect(upstreams).toMatchObject([{ spec: { enabled: false }, secrets: {} }]);
  }
  expect([closed, wrong].map((plan) => codes(plan).filter((code) => code.startsWith('credential')))).toEqual([
    ['credential_encrypted'],
    ['credential_unreadable'],
  ]);
});

test('the importer knows all tables and columns of the stores', async () => {
  const tables = await openTables(bifrostStore(folder, 'plain'));
  const found: string[] = [];
  for (const table of await tables.tables()) {
    if (tableUse(table) === 'unknown') found.push(table);
    if (tableUse(table) !== 'read') continue;
    for (const column of unknownColumns(table, await tables.columns(table))) found.push(`${table}.${column}`);
  }
  await tables.close();
  expect(found).toEqual([]);
});

test('a value in a column of a newer version is a finding, and every key that it may limit arrives revoked', async () => {
  const tables = await openTables(bifrostStore(folder, 'plain'));
  const names = (await tables.tables()).filter((table) => tableUse(table) === 'read');
  await tables.close();
  const statements = names.map((table) => `alter table ${table} add column new_limit integer default 5`);
  const plan = await planned({ statements });
  const reported = plan.findings.filter(({ code }) => code === 'unknown_values').map(({ params }) => params['name']);
  const filled = names.filter((name) => !/provider_config_keys|rate_limits|pricing/.test(name));
  expect(reported).toEqual(filled.map((name) => `${name}.new_limit`));
  expect(plan.keys.filter(({ status }) => status === 'active')).toEqual([]);
  const ofKey = filled.filter((name) => name !== 'config_client');
  expect(new Set(unfit(plan, 'capped'))).toEqual(new Set(ofKey.map((name) => `${name}.new_limit (unknown here)`)));
  // An empty column limits nothing.
  const empty = await planned({ statements: statements.map((each) => each.replace('5', '0')) });
  expect(codes(empty)).not.toContain('unknown_values');
});

const idOf = (name: string) => `(select id from governance_virtual_keys where name = '${name}')`;
const budget = (owner: string, id: string, amount = '5', duration = '1d') =>
  `insert into governance_budgets (id, max_limit, reset_duration, last_reset, created_at, updated_at, current_usage, ${owner})
   values ('b', ${amount}, '${duration}', '2026-11-19 00:00:00+00:00', '2026-11-19 00:00:00+00:00', '', 0, ${id})`;
const modelConfig = (scope: string, scopeId: string, model: string, provider: string) =>
  `insert into governance_model_configs (id, model_name, provider, scope, scope_id, rate_limit_id, created_at, updated_at)
   values ('m', '${model}', ${provider}, '${scope}', ${scopeId}, null, '', '')`;
const rate = `insert into governance_rate_limits (id, request_max_limit, request_reset_duration, token_last_reset, request_last_reset, created_at, updated_at)
  values ('r', 3, '1m', '', '', '', '')`;
const rated = (table: string, where: string) => [rate, `update ${table} set rate_limit_id = 'r' where ${where}`];
const second = [
  `insert into config_providers select 2, 'other', network_config_json, concurrency_buffer_json, proxy_config_json, custom_provider_config_json,
   open_ai_config_json, 0, 0, 0, created_at, updated_at, null, null, null, status, null, encryption_status from config_providers`,
  `insert into config_keys (id, name, provider_id, provider, key_id, value, models_json, enabled, created_at, updated_at)
   values (2, 'k2', 2, 'other', 'k2', 'sk-x', '["u-7-5"]', 1, '', '')`,
  `insert into governance_virtual_key_provider_configs (id, virtual_key_id, provider, allowed_models, allow_all_keys)
   select 900, id, 'other', '["*"]', 1 from governance_virtual_keys where name = 'client 0'`,
];
const client = 'client 0';
const requests = '3 requests per 1m';

test.each<[limit: string, statements: readonly string[], unfit: string]>([
  ['a rate limit of the key', rated('governance_virtual_keys', `name = '${client}'`), requests],
  ['a rate limit of its team', rated('governance_teams', `name = 'blue'`), requests],
  ['a rate limit of its provider', rated('config_providers', `name = 'old'`), requests],
  [
    'a rate limit at a provider',
    rated('governance_virtual_key_provider_configs', `virtual_key_id = ${idOf(client)}`),
    requests,
  ],
  [
    'a rate limit of a model',
    [modelConfig('virtual_key', idOf(client), 'u-7-5', 'null'), ...rated('governance_model_configs', `id = 'm'`)],
    requests,
  ],
  [
    'a budget of its provider',
    [budget('team_id', 'null'), `update config_providers set budget_id = 'b'`],
    'the budget 5 per 1d for all models at old',
  ],
  [
    'a budget for one of its models',
    [modelConfig('virtual_key', idOf(client), 'u-7-5', "'old'"), budget('model_config_id', "'m'")],
    'the budget 5 per 1d for u-7-5 at old',
  ],
  [
    'a budget of all keys for a model',
    [modelConfig('global', 'null', 'u-7-5', 'null'), budget('model_config_id', "'m'")],
    'the budget 5 per 1d for u-7-5 at all providers',
  ],
  [
    'a budget at one of its providers',
    [...second, modelConfig('virtual_key', idOf(client), '*', "'old'"), budget('model_config_id', "'m'")],
    'the budget 5 per 1d for all models at old',
  ],
  [
    'a budget of a provider configuration',
    [...second, budget('provider_config_id', '900')],
    'the budget 5 per 1d for all models at other',
  ],
  [
    'two windows',
    [budget('virtual_key_id', idOf(client)), budget('virtual_key_id', idOf(client), '50', '1M').replace("'b'", "'c'")],
    'a further budget for the period month',
  ],
  ['a budget that allows nothing', [budget('virtual_key_id', idOf(client), '0')], 'the budget 0 per 1d'],
  [
    'a team budget that is no amount',
    [budget('team_id', `(select id from governance_teams where name = 'blue')`, '-1')],
    'the budget -1 per 1d',
  ],
  [
    'some keys of its provider',
    [
      `insert into config_keys (id, name, provider_id, provider, key_id, value, models_json, enabled, created_at, updated_at)
       values (2, 'k2', 1, 'old', 'k2', 'sk-x', '["u-7-5"]', 1, '', '')`,
      `update governance_virtual_key_provider_configs set allow_all_keys = 0 where virtual_key_id = ${idOf(client)}`,
      `insert into governance_virtual_key_provider_config_keys select id, 2 from governance_virtual_key_provider_configs
       where virtual_key_id = ${idOf(client)}`,
    ],
    'only some keys of the provider old',
  ],
  [
    'a customer besides its team',
    [`update governance_virtual_keys set customer_id = (select id from governance_customers) where name = '${client}'`],
    'a customer besides its team',
  ],
  [
    'an expiry that is no time',
    [`update governance_virtual_keys set expires_at = 'soon' where name = '${client}'`],
    'an expiry that is no time',
  ],
  [
    'budgets at prices of its own',
    [
      budget('virtual_key_id', idOf(client)),
      `insert into governance_pricing_overrides (id, name, scope_kind, virtual_key_id, match_type, pattern, created_at, updated_at)
       values ('o', 'half', 'virtual_key', ${idOf(client)}, 'exact', 'u-7-5', '', '')`,
    ],
    'budgets at the prices of half',
  ],
  [
    'a table of a newer version',
    ['create table governance_access_profiles (id text)', `insert into governance_access_profiles values ('x')`],
    'governance_access_profiles (unknown here)',
  ],
])('a key with %s arrives revoked, with a finding', async (_limit, statements, expected) => {
  const plan = await planned({ statements });
  expect(unfit(plan, client)).toEqual([expected]);
  expect(keyOf(plan, client).status).toBe('revoked');
  const text = plan.findings.filter(({ code }) => code === 'key_limits_lost').map(findingText)[0];
  expect(text).toContain('arrives revoked');
});

test('limits of other keys, providers and teams do not concern a key', async () => {
  const plan = await planned({
    statements: [
      ...second,
      ...rated('governance_virtual_keys', `name = 'client 1'`),
      `update config_providers set rate_limit_id = 'r' where name = 'other'`,
    ],
  });
  expect(['client 0', 'client 1', 'client 2'].map((name) => unfit(plan, name))).toEqual([[requests], [requests], []]);
  expect(keyOf(plan, 'client 2')).toMatchObject({ status: 'active', models: ['old/*'] });
});

test('a budget that counts all of a key is its cap, wherever Bifrost stores it', async () => {
  const one = keyOf(
    await planned({
      statements: [
        `update governance_virtual_keys set is_active = 1 where name = 'one model'`,
        modelConfig('virtual_key', idOf('one model'), 'u-7-5', 'null'),
        budget('model_config_id', "'m'"),
      ],
    }),
    'one model',
  );
  expect(one).toMatchObject({ spendCap: 5_000_000_000n, capPeriod: 'day', status: 'active' });
  const configId = `(select id from governance_virtual_key_provider_configs where virtual_key_id = ${idOf(client)})`;
  const plan = await planned({ statements: [budget('provider_config_id', configId)] });
  expect(keyOf(plan, client)).toMatchObject({ spendCap: 5_000_000_000n, capPeriod: 'day', status: 'active' });
});

test.each([
  ['a window that is over has no spend', `last_reset = '2026-11-17 14:00:00+00:00', created_at = last_reset`, 9n, 0n],
  ['an aligned day that is over', `last_reset = '2026-11-18 00:00:00+00:00'`, 9n, 0n],
  ['a lasting increase counts', `override_mode = 'forever', override_amount = 3`, 12n, 4_346_000n],
  ['an increase for two days does not count', `override_mode = 'cycles', override_amount = 3`, 9n, 4_346_000n],
])('%s', async (_case, change, amount, spent) => {
  const plan = await planned({ statements: [`update governance_budgets set ${change} where max_limit = 9`] });
  expect(keyOf(plan, 'capped')).toMatchObject({ spendCap: amount * 1_000_000_000n, spent, status: 'active' });
});

test('forbidden models are compared without regard to case, and a star forbids all', async () => {
  const forbid = (list: string) => [
    `update governance_virtual_key_provider_configs set blacklisted_models = '${list}' where virtual_key_id = ${idOf(client)}`,
  ];
  expect(keyOf(await planned({ statements: forbid('["U-7-5"]') }), client).models).toEqual(['old/u-100-50']);
  expect(keyOf(await planned({ statements: forbid('["*"]') }), client)).toMatchObject({
    models: [],
    status: 'revoked',
  });
});

test('a model of two providers can be named with and without its provider', async () => {
  const plan = await planned({ statements: second });
  expect(plan.models.map(({ spec }) => spec.id)).toEqual(['old/u-7-5', 'other/u-7-5', 'u-7-5', 'old/u-100-50']);
  expect(['client 0', 'client 1'].map((name) => keyOf(plan, name).models)).toEqual([undefined, ['old/*']]);
  expect(codes(plan)).toContain('shared_model_left_out');
});

test('a name with a slash is no alias if its first part is a provider', async () => {
  const renamed = second.map((each) => each.replace('["u-7-5"]', '["old/u-7-5"]'));
  const plan = await planned({ statements: [...renamed, `update governance_model_pricing set provider = 'other'`] });
  expect(plan.models.find(({ sourceId }) => sourceId === 'other/old/u-7-5')?.spec.aliases ?? []).toEqual([]);
});

test('configuration files, required headers and tables that are not taken are reported', async () => {
  const plan = await planned({
    documents: [{ name: 'config.json', text: '{"providers": {}}' }],
    statements: [
      `update config_client set required_headers_json = '["x-team"]'`,
      `insert into routing_rules (id, name, cel_expression, scope, created_at, updated_at) values ('x', 'x', 'true', 'global', '', '')`,
    ],
  });
  expect(codes(plan)).toEqual(expect.arrayContaining(['file_not_read', 'setting_not_taken', 'table_not_taken']));
});

test('a store of an earlier version is refused with the next step', async () => {
  const statements = ['alter table governance_budgets rename column model_config_id to model_id'];
  await expect(planned({ statements })).rejects.toMatchObject({
    message: expect.stringContaining('has no column governance_budgets.model_config_id'),
    fix: expect.stringContaining('1.6.11'),
  });
});
