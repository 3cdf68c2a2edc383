import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { litellmHash, litellmRows, litellmSchema, sealedBox, sealedGcm } from '../fixtures/litellm-source.ts';
import { fillSqlite, type SourceRows } from '../fixtures/source-tables.ts';
import { findingText } from '../findings.ts';
import type { ImportPlan } from '../plan.ts';
import type { Secret } from '../secret.ts';
import { importLiteLlm } from './import-litellm.ts';
import { plannedImport } from '../../../test/planned-import.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-litellm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const now = Date.UTC(2026, 9, 15, 12);
const saltKey = 'sk-salt-of-the-tests';

interface Given {
  readonly rows?: SourceRows;
  readonly yaml?: string;
  readonly prices?: string;
  readonly key?: string | undefined;
}

async function planned({ rows, yaml, prices, key = saltKey }: Given): Promise<ImportPlan> {
  const database = rows && join(folder, 'litellm.db');
  if (database !== undefined) fillSqlite(database, litellmSchema, litellmRows(rows ?? {}));
  const documents = [
    ...(yaml === undefined ? [] : [{ name: 'config.yaml', text: yaml }]),
    ...(prices === undefined ? [] : [{ name: 'prices.json', text: prices }]),
  ];
  return plannedImport(importLiteLlm, { database, documents, key: key === '' ? undefined : key, now });
}

function codes({ findings }: ImportPlan): readonly string[] {
  return [...new Set(findings.map(({ code }) => code))].sort();
}

const key = (text: string) => ({ token: litellmHash(text), key_name: `sk-...${text.slice(-4)}` });

test('a team becomes a postpaid account with its budget as a limit and its spend so far', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_TeamTable: [
        {
          team_id: 't1',
          team_alias: 'Red Team',
          max_budget: 100.1,
          soft_budget: 80.08,
          budget_duration: '30d',
          spend: 12.3456789,
          models: ['gpt-4o'],
        },
        {
          team_id: 't2',
          team_alias: 'Red Team',
          max_budget: 5,
          budget_duration: '1d',
          budget_reset_at: new Date(now - 1000),
          spend: 4,
          models: [],
          blocked: true,
        },
      ],
    },
  });
  expect(plan.accounts).toEqual([
    {
      sourceId: 'team:t1',
      name: 'Red-Team',
      displayName: 'Red Team',
      organisation: undefined,
      packageName: 'litellm-Red-Team',
      billing: 'postpaid',
      status: 'active',
      timeZone: 'UTC',
      balance: 0n,
      limits: [{ amount: 100_100_000_000n, period: 'month', notifyAt: ['0.80'], spent: 12_345_678_900n }],
    },
    expect.objectContaining({
      sourceId: 'team:t2',
      name: expect.stringMatching(/^Red-Team-[0-9a-f]{6}$/),
      status: 'suspended',
      packageName: 'litellm',
      limits: [{ amount: 5_000_000_000n, period: 'day', notifyAt: [], spent: 0n }],
    }),
  ]);
  expect(plan.packages.map(({ spec }) => spec)).toEqual([
    { name: 'litellm-Red-Team', models: ['gpt-4o'] },
    { name: 'litellm', models: ['*'] },
  ]);
});

test('the budget of an hour becomes the same budget of a day, and the plan says so', async () => {
  const plan = await planned({
    rows: { LiteLLM_TeamTable: [{ team_id: 't', max_budget: 1, budget_duration: '1h', spend: 0 }] },
  });
  expect(plan.accounts[0]?.limits).toMatchObject([{ amount: 1_000_000_000n, period: 'day' }]);
  expect(codes(plan)).toEqual(['period_lengthened']);
});

test('keys keep their digest, cap, models, expiry and member, and no text of the plan has a secret', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_TeamTable: [
        { team_id: 't', team_alias: 'blue', members_with_roles: [{ role: 'admin', user_id: 'u' }], models: [] },
      ],
      LiteLLM_UserTable: [
        {
          user_id: 'u',
          user_email: 'Ann@Example.com',
          password: `scrypt:${'A'.repeat(64)}`,
          teams: ['t'],
          max_budget: 1,
        },
      ],
      LiteLLM_BudgetTable: [{ budget_id: 'b', max_budget: 7, max_parallel_requests: 3 }],
      LiteLLM_VerificationToken: [
        {
          ...key('sk-one-0001'),
          key_alias: 'ci',
          team_id: 't',
          user_id: 'u',
          models: ['all-team-models'],
          max_budget: 0.3,
          budget_duration: '7d',
          spend: 0.1,
        },
        {
          ...key('sk-two-0002'),
          team_id: 't',
          models: ['gpt-4o', 'beta'],
          budget_id: 'b',
          spend: 2,
          expires: new Date(now + 5000),
        },
        { ...key('sk-three-03'), user_id: 'ghost', blocked: true, spend: 0 },
        { ...key('sk-four-004'), spend: 9.5 },
        { ...key('sk-ui-00005'), team_id: 'litellm-dashboard' },
        { token: 'what is this', key_name: 'odd' },
      ],
      LiteLLM_DeprecatedVerificationToken: [
        {
          id: 'd',
          token: litellmHash('sk-one-0000'),
          active_token_id: litellmHash('sk-one-0001'),
          revoke_at: new Date(now + 9000),
        },
      ],
    },
    yaml: 'model_list:\n- model_name: gpt-4o-beta\n  litellm_params: {model: openai/gpt-4o}\n  model_info: {access_groups: [beta]}\n',
  });
  const terms = plan.keys.map(({ sourceId: _sourceId, secret: _secret, replacedBy: _replacedBy, ...rest }) => rest);
  expect(terms).toEqual([
    {
      account: 'team:t',
      member: 'u',
      name: 'ci',
      models: undefined,
      spendCap: 300_000_000n,
      capPeriod: 'week',
      spent: 100_000_000n,
      status: 'active',
    },
    {
      account: 'team:t',
      name: 'sk-...0002',
      models: ['gpt-4o', 'gpt-4o-beta'],
      spendCap: 7_000_000_000n,
      spent: 2_000_000_000n,
      maxConcurrency: 3,
      expiresAt: now + 5000,
      status: 'active',
    },
    { account: 'user:ghost', name: 'sk-...e-03', models: undefined, spent: 0n, status: 'revoked' },
    { account: 'unassigned', name: 'sk-...-004', models: undefined, spent: 9_500_000_000n, status: 'active' },
    {
      account: 'team:t',
      member: 'u',
      name: 'ci',
      models: undefined,
      spendCap: 300_000_000n,
      capPeriod: 'week',
      spent: 0n,
      status: 'active',
      expiresAt: now + 9000,
    },
  ]);
  expect(plan.keys[4]?.replacedBy).toBe(plan.keys[0]?.sourceId);
  expect(plan.keys.map(({ secret }) => secret.form)).toEqual(Array(5).fill('sha256'));
  expect(plan.users).toMatchObject([
    {
      email: 'ann@example.com',
      password: { form: 'scrypt-16384' },
      memberships: [{ account: 'team:t', role: 'owner' }],
    },
  ]);
  expect(codes(plan)).toEqual([
    'credential_in_environment',
    'dashboard_keys',
    'key_blocked',
    'key_unreadable',
    'price_from_table',
  ]);
  const texts = inspect(plan, { depth: 9 }) + plan.findings.map(findingText).join();
  for (const secret of ['sk-one-0001', litellmHash('sk-one-0001'), litellmHash('sk-one-0000'), 'AAAAAAAA']) {
    expect(texts).not.toContain(secret);
  }
});

const sealedModel = (seal: (text: string, key: string) => string) => ({
  model: seal('openai/gpt-4o', saltKey),
  api_key: seal('sk-provider', saltKey),
  api_base: seal('https://models.example/v1', saltKey),
  input_cost_per_token: 0.0000025,
  output_cost_per_token: 0.00001,
});

test.each([
  ['AES-GCM', sealedGcm],
  ['a secretbox', sealedBox],
  ['a secretbox of an older version', (text: string, own: string) => sealedBox(text, own, 'base64')],
])('a model and a credential encrypted with %s are opened with the salt key', async (_name, seal) => {
  const plan = await planned({
    rows: {
      LiteLLM_ProxyModelTable: [
        { model_id: 'm', model_name: 'fast', litellm_params: sealedModel(seal), model_info: {} },
      ],
    },
  });
  expect(plan.upstreams).toMatchObject([{ spec: { kind: 'openai', base_url: 'https://models.example/v1' } }]);
  expect((plan.upstreams[0]!.secrets.api_key as Secret).reveal()).toBe('sk-provider');
  expect(plan.models).toMatchObject([
    {
      spec: {
        id: 'fast',
        routes: [{ upstream: 'openai', model: 'gpt-4o', weight: 1 }],
        price: { input: '2.50', output: '10.00' },
      },
    },
  ]);
  expect(codes(plan)).toEqual([]);
});

test('without the salt key, encrypted models are left out, and upstreams without their credential are disabled', async () => {
  const rows = {
    LiteLLM_ProxyModelTable: [
      { model_id: 'm', model_name: 'fast', litellm_params: sealedModel(sealedGcm) },
      {
        model_id: 'n',
        model_name: 'slow',
        litellm_params: { model: 'anthropic/claude-3-5-haiku-20241022', litellm_credential_name: 'main' },
      },
    ],
    LiteLLM_CredentialsTable: [
      { credential_name: 'main', credential_values: { api_key: sealedBox('sk-ant', saltKey) } },
    ],
  };
  const plan = await planned({ rows, key: '' });
  expect(codes(plan)).toEqual(['credential_encrypted', 'deployment_encrypted', 'price_from_table']);
  expect(plan.upstreams).toMatchObject([{ spec: { name: 'anthropic', enabled: false }, secrets: {} }]);
  expect(plan.models.map(({ sourceId }) => sourceId)).toEqual(['slow']);
  rmSync(join(folder, 'litellm.db'));
  expect(codes(await planned({ rows, key: 'sk-another' }))).toContain('credential_unreadable');
});

const yaml = `
model_list:
- model_name: chat
  litellm_params: {model: azure/gpt4, api_base: "https://mine.openai.azure.com/", api_key: os.environ/AZURE_KEY, api_version: "2024-10-21", rpm: 6000, order: 1, input_cost_per_token: 1e-6, output_cost_per_token: "2e-6"}
- model_name: chat
  litellm_params: {model: openai/gpt-4o, api_key: sk-plain, rpm: 3000, order: 2, max_parallel_requests: 5}
- model_name: small
  litellm_params: {model: ollama/llama3, api_base: "http://gpu:11434", input_cost_per_token: 0, output_cost_per_token: 0}
- model_name: "openai/*"
  litellm_params: {model: "openai/*", api_key: sk-plain}
- model_name: unpriced
  litellm_params: {model: openai/never-seen-by-anyone, api_key: sk-plain}
- model_name: strange
  litellm_params: {model: watsonx/granite, api_key: os.environ/OTHER_KEY, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6}
router_settings:
  model_group_alias: {gpt-4: chat, gone: missing}
litellm_settings:
  timezone: Europe/Berlin
  fallbacks: [{chat: [small]}, {small: [chat]}]
  context_window_fallbacks: [{chat: [small]}]
  success_callback: [langfuse]
general_settings: {master_key: sk-1234}
environment_variables: {OTHER_KEY: sk-proj-a-long-key-of-a-provider-that-looks-as-if-it-were-encrypted}
`;

test('a configuration file gives upstreams, routes, aliases and fallbacks', async () => {
  const plan = await planned({
    yaml,
    rows: {
      LiteLLM_TeamTable: [{ team_id: 't', models: ['openai/gpt-4o-mini', 'openai/*'] }],
      LiteLLM_EndUserTable: [{ user_id: 'e1' }, { user_id: 'e2', blocked: true }],
    },
  });
  expect(plan.upstreams.map(({ spec }) => spec)).toEqual([
    { name: 'azure', kind: 'azure', resource_name: 'mine' },
    expect.objectContaining({ kind: 'openai', max_concurrency: 5 }),
    { name: 'ollama', kind: 'ollama', base_url: 'http://gpu:11434/v1' },
    expect.objectContaining({ kind: 'openai' }),
    { name: 'watsonx', kind: 'openai', base_url: 'https://unknown.invalid/v1', enabled: false },
  ]);
  expect((plan.upstreams[0]!.secrets.api_key as Secret).reveal()).toBe('${AZURE_KEY}');
  expect((plan.upstreams[4]!.secrets.api_key as Secret).reveal()).toMatch(/^sk-proj-a-long-key/);
  const models = new Map(plan.models.map(({ spec }) => [spec.id, spec]));
  expect([...models.keys()]).toEqual(['chat', 'small', 'openai/gpt-4o-mini', 'strange']);
  expect(models.get('chat')).toMatchObject({
    aliases: ['gpt-4'],
    price: { input: '1.00', output: '2.00' },
    routes: [
      { upstream: 'azure', model: 'gpt4', weight: 1000, priority: 1 },
      { model: 'gpt-4o', weight: 500, priority: 2 },
    ],
    fallbacks: [{ model: 'small', on: ['failure', 'context_overflow'] }],
  });
  expect(models.get('small')?.fallbacks).toBeUndefined();
  expect(models.get('openai/gpt-4o-mini')?.routes).toMatchObject([{ model: 'gpt-4o-mini' }]);
  expect(plan.accounts[0]?.timeZone).toBe('Europe/Berlin');
  expect(codes(plan)).toEqual([
    'address_private',
    'alias_not_taken',
    'credential_in_environment',
    'deployment_prices_differ',
    'fallback_circle',
    'kind_unknown',
    'master_key',
    'price_from_table',
    'price_missing',
    'setting_not_taken',
    'table_not_taken',
    'wildcard_model',
  ]);
});

test('a price list of LiteLLM gives the prices that the deployments do not have', async () => {
  const prices = JSON.stringify({
    'never-seen-by-anyone': {
      litellm_provider: 'openai',
      mode: 'chat',
      input_cost_per_token: 1.5e-7,
      output_cost_per_token: 6e-7,
    },
  });
  const plan = await planned({ yaml, prices });
  const unpriced = plan.models.find(({ sourceId }) => sourceId === 'unpriced');
  expect(unpriced?.spec.price).toMatchObject({ input: '0.15', output: '0.60' });
});

test('two readings of the same source give the same plan', async () => {
  const rows = {
    LiteLLM_TeamTable: [
      { team_id: 'b', team_alias: 'x' },
      { team_id: 'a', team_alias: 'x' },
    ],
  };
  const first = await planned({ rows, yaml });
  rmSync(join(folder, 'litellm.db'));
  expect(await planned({ rows, yaml })).toEqual(first);
});

test('users keep their limits in a team, roles in organisations, and one account per e-mail address', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_BudgetTable: [
        { budget_id: 'b', max_budget: 2, budget_duration: 'monthly', allowed_models: ['gpt-4o'] },
        { budget_id: 'o', max_budget: 50, tpm_limit: 1 },
      ],
      LiteLLM_OrganizationTable: [{ organization_id: 'o1', organization_alias: 'Acme Ltd.', budget_id: 'o', spend: 3 }],
      LiteLLM_OrganizationMembership: [
        { user_id: 'u1', organization_id: 'o1', user_role: 'org_admin' },
        { user_id: 'u2', organization_id: 'o1', user_role: 'internal_user' },
      ],
      LiteLLM_TeamTable: [
        {
          team_id: 't',
          organization_id: 'o1',
          members_with_roles: [
            { role: 'user', user_id: 'u1' },
            { role: 'user', user_email: 'two@example.com' },
          ],
        },
      ],
      LiteLLM_TeamMembership: [{ user_id: 'u1', team_id: 't', budget_id: 'b', spend: 0.5 }],
      LiteLLM_UserTable: [
        {
          user_id: 'u1',
          user_email: 'one@example.com',
          teams: ['t'],
          user_role: 'proxy_admin',
          password: 'plain?',
          sso_user_id: 's',
        },
        { user_id: 'u2', user_email: 'two@example.com', teams: ['t'] },
        { user_id: 'u3', user_email: 'TWO@example.com', teams: ['t'] },
        { user_id: 'u4', teams: [] },
        { user_id: 'u5', user_email: 'alone@example.com', models: ['no-default-models'] },
      ],
    },
  });
  expect(plan.organisations).toMatchObject([
    {
      sourceId: 'o1',
      name: 'Acme-Ltd.',
      limits: [{ amount: 50_000_000_000n, period: 'total', spent: 3_000_000_000n }],
    },
  ]);
  expect(plan.accounts).toMatchObject([{ organisation: 'o1' }, { sourceId: 'user:u5' }]);
  expect(plan.packages).toMatchObject([{ spec: { models: ['*'] } }, { spec: { models: [] } }]);
  expect(plan.users).toMatchObject([
    {
      memberships: [
        {
          account: 'team:t',
          role: 'member',
          models: ['gpt-4o'],
          limits: [{ amount: 2_000_000_000n, period: 'month', spent: 500_000_000n }],
        },
      ],
      organisations: [{ organisation: 'o1', role: 'owner' }],
      password: undefined,
    },
    { memberships: [{ account: 'team:t', role: 'member' }], organisations: [] },
    { memberships: [{ account: 'user:u5', role: 'owner' }] },
  ]);
  expect(codes(plan)).toEqual([
    'email_missing',
    'email_shared',
    'operator_proposed',
    'password_unknown',
    'request_rates',
    'sso_binding',
  ]);
});

test('limits of members who are no person here, and a team or organisation that is gone, are findings', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_BudgetTable: [{ budget_id: 'b', max_budget: 2, budget_duration: '1d', max_parallel_requests: 3 }],
      LiteLLM_TeamTable: [
        {
          team_id: 't',
          organization_id: 'gone',
          members_with_roles: [{ user_id: 'nameless' }, { user_id: 'deleted' }],
        },
      ],
      LiteLLM_TeamMembership: ['nameless', 'deleted'].map((id) => ({ user_id: id, team_id: 't', budget_id: 'b' })),
      LiteLLM_UserTable: [{ user_id: 'nameless', teams: ['t'] }],
      LiteLLM_VerificationToken: [{ token: litellmHash('sk-left'), key_alias: 'left', team_id: 'gone' }],
    },
  });
  const lost = plan.findings.filter(({ code }) => code === 'member_terms_lost');
  const params = { team: 't', limits: '2.00 (day), 3 requests at once' };
  expect(lost.map((each) => [each.subject.sourceId, each.params])).toEqual([
    ['nameless', params],
    ['deleted', params],
  ]);
  expect(codes(plan)).toContain('organisation_gone');
  expect(plan.findings).toContainEqual(
    expect.objectContaining({ code: 'key_team_gone', params: { name: 'left', team: 'gone', account: 'unassigned' } }),
  );
});

test('two users with one e-mail address are one person with the accounts, roles and keys of both', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_OrganizationTable: [{ organization_id: 'o', organization_alias: 'acme' }],
      LiteLLM_OrganizationMembership: [{ user_id: 'second', organization_id: 'o', user_role: 'org_admin' }],
      LiteLLM_TeamTable: [
        { team_id: 'a', members: ['first', 'second'] },
        { team_id: 'b', members: ['second'] },
      ],
      LiteLLM_UserTable: [
        { user_id: 'first', user_email: 'ann@example.com', teams: ['a'], password: 'ab'.repeat(32) },
        { user_id: 'second', user_email: ' Ann@Example.com', teams: ['a', 'b'] },
      ],
      LiteLLM_VerificationToken: [
        { ...key('sk-key-of-the-second-user'), team_id: 'b', user_id: 'second' },
        { ...key('sk-own-key-of-the-second'), user_id: 'second' },
      ],
    },
  });
  expect(plan.users).toMatchObject([
    {
      sourceId: 'first',
      password: { form: 'sha256' },
      memberships: [
        { account: 'team:a', role: 'member' },
        { account: 'user:second', role: 'owner' },
        { account: 'team:b', role: 'member' },
      ],
      organisations: [{ organisation: 'o', role: 'owner' }],
    },
  ]);
  expect(plan.keys.map(({ account, member }) => [account, member])).toEqual([
    ['team:b', 'first'],
    ['user:second', 'first'],
  ]);
});

test('names become one visible line of at most 64 characters, and amounts beyond all others are limited', async () => {
  const plan = await planned({
    rows: {
      LiteLLM_TeamTable: [
        { team_id: 't', team_alias: `两\n队\u0007\u202e${'长'.repeat(100)}`, max_budget: 1e12, spend: 1e11 },
        { team_id: 'u', team_alias: '\u200b' },
      ],
      LiteLLM_UserTable: [
        { user_id: 'a', user_alias: `Ann\t${'n'.repeat(80)}`, user_email: 'a@example.com', teams: ['t'] },
      ],
      LiteLLM_VerificationToken: [
        { ...key('sk-with-a-long-name-1'), key_alias: `ci\u0000${'x'.repeat(100)}`, team_id: 't' },
        { ...key('sk-without-visible-name'), key_alias: '\u200b', key_name: null, team_id: 't' },
      ],
    },
  });
  const most = 999_999_999_000_000_000n;
  expect(plan.accounts).toMatchObject([
    { displayName: `两 队${'长'.repeat(61)}`, limits: [{ amount: most, spent: most }] },
    { name: 'team-u', displayName: undefined },
  ]);
  expect(plan.users).toMatchObject([{ displayName: `Ann ${'n'.repeat(60)}` }]);
  expect(plan.keys.map(({ name }) => name)).toEqual([`ci${'x'.repeat(62)}`, plan.keys[1]?.sourceId]);
  expect(codes(plan)).toContain('amount_too_large');
});
