import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitedRows, limitedSchema } from '../fixtures/litellm-limited-keys.ts';
import { litellmHash, litellmRows, litellmSchema } from '../fixtures/litellm-source.ts';
import { fillSqlite, type SourceRows, type SourceSchema } from '../fixtures/source-tables.ts';
import type { ImportPlan } from '../plan.ts';
import { type DecidedTable, lostColumnsOf } from './decided-columns.ts';
import { importLiteLlm } from './import-litellm.ts';
import { plannedImport } from '../../../test/planned-import.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-litellm-limits-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const now = Date.now();

async function planned(rows: SourceRows, { yaml = '', schema = litellmSchema } = {}): Promise<ImportPlan> {
  const database = join(folder, 'litellm.db');
  fillSqlite(database, schema, litellmRows(rows));
  const documents = yaml === '' ? [] : [{ name: 'config.yaml', text: yaml }];
  return plannedImport(importLiteLlm, { database, documents, now });
}

const key = (name: string) => ({ token: litellmHash(`sk-${name}`), key_alias: name });

function lost({ findings }: ImportPlan, code: 'account_limits_lost' | 'key_limits_lost'): unknown {
  return Object.fromEntries(
    findings.filter((each) => each.code === code).map(({ params }) => [params['name'], params['limits']]),
  );
}

const tableNames: Readonly<Record<DecidedTable, string>> = {
  keys: 'LiteLLM_VerificationToken',
  users: 'LiteLLM_UserTable',
  teams: 'LiteLLM_TeamTable',
  organisations: 'LiteLLM_OrganizationTable',
  budgets: 'LiteLLM_BudgetTable',
  projects: 'LiteLLM_ProjectTable',
};
const known = ['agent_id', 'config', 'model_max_budget', 'tpd_limit'];

test.each(Object.entries(tableNames) as [DecidedTable, string][])(
  'every column of %s in LiteLLM 1.109 is decided, and a limiting column of a later version is a lost limit',
  (table, name) => {
    const columns = Object.keys(litellmSchema[name] ?? {});
    const row = Object.fromEntries([...columns, 'images_limit', 'blocked_regions'].map((column) => [column, '7']));
    const reported = lostColumnsOf(table, row).map((text) => text.split(' ')[0] ?? '');
    expect(reported.filter((column) => !known.includes(column))).toEqual(['images_limit', 'blocked_regions']);
    const empty = Object.fromEntries(['images_limit', 'blocked_regions', 'images_spend'].map((each) => [each, '0']));
    expect(lostColumnsOf(table, { ...empty, blocked_regions: '{}' })).toEqual([]);
  },
);

test('an unknown limiting column of a team, a user, a budget or an organisation stops all keys that it limits', async () => {
  const later = (table: string) => ({ [table]: { ...litellmSchema[table], images_limit: 'bigint' } as const });
  const schema: SourceSchema = { ...litellmSchema, ...Object.assign({}, ...Object.values(tableNames).map(later)) };
  const plan = await planned(
    {
      LiteLLM_BudgetTable: [{ budget_id: 'b', images_limit: 3 }],
      LiteLLM_OrganizationTable: [{ organization_id: 'o', organization_alias: 'acme', budget_id: 'b' }],
      LiteLLM_TeamTable: [
        { team_id: 't', team_alias: 'red', images_limit: 4 },
        { team_id: 'u', team_alias: 'of acme', organization_id: 'o' },
        { team_id: 'v', team_alias: 'free' },
      ],
      LiteLLM_UserTable: [{ user_id: 'ann', user_email: 'ann@example.com', images_limit: 5 }],
      LiteLLM_VerificationToken: [
        { ...key('of ann'), user_id: 'ann' },
        { ...key('of ann in a team'), user_id: 'ann', team_id: 'v' },
        { ...key('free'), team_id: 'v' },
      ],
    },
    { schema },
  );
  expect(lost(plan, 'account_limits_lost')).toEqual({
    red: 'images_limit 4',
    'of-acme': 'images_limit 3 of the organisation acme',
    'ann@example.com': 'images_limit 5',
  });
  expect(lost(plan, 'key_limits_lost')).toEqual({ 'of ann in a team': 'images_limit 5 of its user' });
  const active = plan.accounts.filter(({ status }) => status === 'active').map(({ name }) => name);
  expect(active).toEqual(['free']);
});

test('the budget of the proxy holds for all accounts without an organisation, and the others arrive suspended', async () => {
  const yaml = 'litellm_settings: {max_budget: 12.5, budget_duration: 30d}';
  const proxy = { user_id: 'litellm-proxy-budget', spend: 3.25, budget_reset_at: new Date(now + 86_400_000) };
  const plan = await planned(
    { ...limitedRows, LiteLLM_UserTable: [...(limitedRows['LiteLLM_UserTable'] ?? []), proxy] },
    { yaml, schema: limitedSchema },
  );
  const organisation = plan.organisations.find(({ name }) => name === 'litellm-proxy');
  expect(organisation?.limits).toEqual([
    { amount: 12_500_000_000n, period: 'month', notifyAt: [], spent: 3_250_000_000n },
  ]);
  const inProxy = plan.accounts.filter((each) => each.organisation === organisation?.sourceId);
  expect(inProxy.map(({ name, status }) => [name, status])).toContainEqual(['t', 'active']);
  const others = plan.accounts.filter((each) => each.organisation !== organisation?.sourceId);
  expect(others.map(({ status }) => status)).toEqual(['suspended', 'suspended', 'suspended']);
  expect(lost(plan, 'account_limits_lost')).toEqual(
    Object.fromEntries(others.map(({ name }) => [name, 'max_budget 12.5 of the whole proxy'])),
  );
  expect(plan.findings.filter(({ code }) => code === 'email_missing')).toEqual([]);
});

test('the budget of a user holds in one account, and the accounts of other organisations arrive suspended', async () => {
  const plan = await planned({
    LiteLLM_OrganizationTable: [{ organization_id: 'o', organization_alias: 'acme' }],
    LiteLLM_UserTable: [{ user_id: 'ann', user_email: 'ann@example.com', max_budget: 10, spend: 4 }],
    LiteLLM_VerificationToken: [
      { ...key('alone'), user_id: 'ann' },
      { ...key('in acme'), user_id: 'ann', organization_id: 'o' },
    ],
  });
  expect(plan.accounts).toMatchObject([
    { sourceId: 'user:ann', organisation: undefined, status: 'active', limits: [{ spent: 4_000_000_000n }] },
    { sourceId: 'user:ann@organisation:o', organisation: 'o', status: 'suspended', limits: [] },
  ]);
  expect(plan.users[0]?.memberships.map(({ account }) => account)).toEqual(plan.accounts.map((each) => each.sourceId));
});

test('a team has a default budget for its members, and keys of switched off users arrive revoked', async () => {
  const plan = await planned({
    LiteLLM_BudgetTable: [{ budget_id: 'b', max_budget: 2, budget_duration: '1d' }],
    LiteLLM_TeamTable: [
      {
        team_id: 't',
        metadata: { team_member_budget_id: 'b' },
        members_with_roles: [{ user_id: 'ann' }, { user_id: 'off' }],
      },
    ],
    LiteLLM_TeamMembership: [{ user_id: 'ann', team_id: 't', spend: 0.5 }],
    LiteLLM_UserTable: [
      { user_id: 'ann', user_email: 'ann@example.com', teams: ['t'] },
      { user_id: 'off', user_email: 'off@example.com', teams: ['t'], metadata: { scim_active: false } },
    ],
    LiteLLM_VerificationToken: ['ann', 'off'].map((user) => ({ ...key(user), user_id: user, team_id: 't' })),
  });
  const limit = { amount: 2_000_000_000n, period: 'day', notifyAt: [], spent: 500_000_000n };
  expect(plan.users.map(({ email, memberships }) => [email, memberships])).toEqual([
    ['ann@example.com', [{ account: 'team:t', role: 'member', limits: [limit] }]],
  ]);
  expect(plan.keys.map(({ name, status }) => [name, status])).toEqual([
    ['ann', 'active'],
    ['off', 'revoked'],
  ]);
});

test('addresses that may reach the proxy are those of every key', async () => {
  const yaml = 'general_settings: {allowed_ips: ["192.0.2.7"]}';
  const plan = await planned({ LiteLLM_VerificationToken: [key('one')] }, { yaml });
  expect(plan.keys[0]?.addresses).toEqual(['192.0.2.7']);
});

test('a finding names the models of an access group that the team of the key does not have', async () => {
  const plan = await planned({
    LiteLLM_AccessGroupTable: [{ access_group_id: 'g', access_group_name: 'both', access_model_names: ['a', 'b'] }],
    LiteLLM_TeamTable: [{ team_id: 't', models: ['a'] }],
    LiteLLM_VerificationToken: [{ ...key('one'), team_id: 't', models: ['a'], access_group_ids: ['g'] }],
  });
  expect(plan.keys[0]?.models).toEqual(['a', 'b']);
  const [found] = plan.findings.filter(({ code }) => code === 'access_group_models');
  expect(found?.params).toEqual({ name: 'one', models: 'b' });
});

test('a key keeps the spend of earlier periods, which the budget of its organisation counts', async () => {
  const capped = { organization_id: 'o', max_budget: 10, budget_duration: '1d' };
  const plan = await planned({
    LiteLLM_OrganizationTable: [{ organization_id: 'o', organization_alias: 'acme', spend: 8.5 }],
    LiteLLM_VerificationToken: [
      { ...key('of 1.109'), ...capped, spend: 1.25, total_spend: 8.5 },
      { ...key('of before'), ...capped, spend: 1.25, total_spend: 0 },
    ],
  });
  expect(plan.keys.map(({ name, spent, spentInPeriod }) => [name, spent, spentInPeriod])).toEqual([
    ['of 1.109', 8_500_000_000n, 1_250_000_000n],
    ['of before', 1_250_000_000n, undefined],
  ]);
});
