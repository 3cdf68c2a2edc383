import { litellmHash, litellmRows, litellmSchema, sealedGcm } from './litellm-source.ts';
import type { SourceRows, SourceSchema } from './source-tables.ts';

export const saltKey = 'sk-salt-of-the-limited-keys';

/** Keys by name. Each row says what limits the key in LiteLLM. */
type KeyRows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const hour = 3_600_000;
const windowEnd = new Date(Date.now() + 6 * hour);
const monthEnd = new Date(Date.now() + 20 * 24 * hour);
const windows = (day: number, month: number) => [
  { budget_duration: '1d', max_budget: day, reset_at: windowEnd.toISOString() },
  { budget_duration: '30d', max_budget: month, reset_at: monthEnd.toISOString() },
];

/** Keys that LiteLLM answers and whose limits can be carried over. */
export const answeredKeys: KeyRows = {
  plain: { team_id: 't' },
  'llm routes': { team_id: 't', allowed_routes: ['llm_api_routes'], key_type: 'llm_api' },
  'day window': { team_id: 't', spend: 50.123456789, budget_limits: windows(5, 100).slice(0, 1) },
  'includes the day': { team_id: 't', spend: 50.123456789, budget_limits: windows(60, 40) },
  'access group': { team_id: 't', models: ['no-default-models'], access_group_ids: ['g'] },
  'team of an access group': { team_id: 'grouped' },
  'no team, organisation': { organization_id: 'small', spend: 1.5 },
  'user, organisation': { user_id: 'ann', organization_id: 'small', spend: 0.5 },
  'user alone': { user_id: 'ann' },
  'larger for a day': {
    team_id: 't',
    max_budget: 1,
    spend: 2.5,
    metadata: { temp_budget_increase: 5, temp_budget_expiry: windowEnd.toISOString() },
  },
  'rates only': { team_id: 't', rpm_limit: 5, tpm_limit: 1000, metadata: { model_rpm_limit: { fast: 3 } } },
  'models of a project': { team_id: 't', project_id: 'models' },
  'window of its team': { team_id: 'windowed', spend: 30 },
};

/** Keys that LiteLLM refuses, each with a part of the reason that a rehearsal gives. */
export const refusedKeys: KeyRows = {
  'day window reached': {
    team_id: 't',
    spend: 9,
    budget_limits: windows(5, 100).slice(0, 1),
    reason: 'budget is reached',
  },
  'no models': { team_id: 't', models: ['no-default-models'], reason: 'no imported model' },
  'organisation reached': { organization_id: 'full', spend: 4, reason: 'The organisation has a spend limit of 4.00' },
  'window of the team reached': { team_id: 'window-full', reason: 'limit of window-full is reached' },
  'increase over': {
    team_id: 't',
    max_budget: 1,
    spend: 2.5,
    metadata: { temp_budget_increase: 5, temp_budget_expiry: '2026-01-01T00:00:00Z' },
    reason: 'budget is reached',
  },
};

/** Keys with a limit that has no counterpart: they arrive revoked. */
export const revokedKeys: KeyRows = {
  'read only': { team_id: 't', allowed_routes: ['info_routes'], key_type: 'read_only', reason: 'routes info_routes' },
  management: { team_id: 't', allowed_routes: ['management_routes'], reason: 'routes management_routes' },
  'one route': { team_id: 't', allowed_routes: ['/chat/completions'], reason: 'routes /chat/completions' },
  'tokens a day': { team_id: 't', tpd_limit: 1000, reason: 'tpd_limit 1000' },
  'shared tokens a day': { team_id: 't', budget_id: 'tokens', reason: 'tpd_limit 5000' },
  'budget of a model': {
    team_id: 't',
    model_max_budget: { fast: { budget_limit: 1 } },
    reason: 'model_max_budget fast',
  },
  'two windows': { team_id: 't', spend: 50, budget_limits: windows(5, 100), reason: '5.00 (day), 100.00 (month)' },
  agent: { team_id: 't', agent_id: 'a', reason: 'agent_id a' },
  'own deployments': { team_id: 't', config: { model_list: [] }, reason: 'config model_list' },
  'budget of a tag': { team_id: 't', metadata: { tags: ['dear'] }, reason: 'the budget of the tag dear' },
  'parameters needed': { team_id: 't', metadata: { enforced_params: ['user'] }, reason: 'enforced_params' },
  'budget of an access group': { team_id: 't', models: ['beta'], reason: 'the budget of the access group beta' },
  'budget of a project': { team_id: 't', project_id: 'budget', reason: 'max_budget 3 of the project budget' },
  'blocked tools': { team_id: 't', object_permission_id: 'p', reason: 'blocked tools shell' },
  'other organisation': { team_id: 't', organization_id: 'small', reason: 'the organisation small of the key' },
  'member without a person': { team_id: 't', user_id: 'ghost', reason: 'the limits of its user in the team' },
  'tokens of the member': { team_id: 't', user_id: 'bob', reason: 'tpd_limit 5000 of its user in the team' },
  'not yet known': { team_id: 't', seats_limit: 2, reason: 'seats_limit 2' },
};

const keyRow = ([name, { reason: _reason, ...row }]: [string, Readonly<Record<string, unknown>>]) => ({
  token: litellmHash(`sk-${name}`),
  key_alias: name,
  ...row,
});

const windowSpend = (type: string, id: string, duration: string, spend: number) => ({
  entity_type: type,
  entity_id: id,
  window_duration: duration,
  window_start: new Date((duration === '1d' ? windowEnd : monthEnd).getTime() - (duration === '1d' ? 24 : 720) * hour),
  spend,
});

/** The tables, with a column that stands for one of a later version. */
export const limitedSchema: SourceSchema = {
  ...litellmSchema,
  LiteLLM_VerificationToken: { ...litellmSchema['LiteLLM_VerificationToken'], seats_limit: 'bigint' },
};

/** A database with all these keys. */
export const limitedRows: SourceRows = litellmRows({
  LiteLLM_ProxyModelTable: [
    {
      model_id: 'm',
      model_name: 'fast',
      litellm_params: {
        model: sealedGcm('openai/gpt-4o', saltKey),
        api_key: sealedGcm('sk-provider-canary', saltKey),
      },
      model_info: { access_groups: ['beta'] },
    },
  ],
  LiteLLM_AccessGroupTable: [{ access_group_id: 'g', access_group_name: 'all fast', access_model_names: ['fast'] }],
  LiteLLM_ModelAccessGroupBudgetTable: [{ access_group_name: 'beta', budget_id: 'org' }],
  LiteLLM_ObjectPermissionTable: [{ object_permission_id: 'p', blocked_tools: ['shell'] }],
  LiteLLM_TagTable: [{ tag_name: 'dear', budget_id: 'org' }],
  LiteLLM_BudgetTable: [
    { budget_id: 'org', max_budget: 4 },
    { budget_id: 'three', max_budget: 3 },
    { budget_id: 'tokens', tpd_limit: 5000 },
  ],
  LiteLLM_OrganizationTable: [
    { organization_id: 'small', organization_alias: 'small', budget_id: 'org', spend: 2, models: [] },
    { organization_id: 'full', organization_alias: 'full', budget_id: 'org', spend: 4, models: [] },
  ],
  LiteLLM_ProjectTable: [
    { project_id: 'models', project_alias: 'models', models: ['fast'] },
    { project_id: 'budget', project_alias: 'budget', models: [], budget_id: 'three' },
  ],
  LiteLLM_TeamTable: [
    { team_id: 't', team_alias: 't', models: [] },
    { team_id: 'grouped', team_alias: 'grouped', models: ['no-default-models'], access_group_ids: ['g'] },
    { team_id: 'windowed', team_alias: 'windowed', models: [], spend: 30, budget_limits: windows(5, 100) },
    { team_id: 'window-full', team_alias: 'window-full', models: [], spend: 30, budget_limits: windows(5, 100) },
  ],
  LiteLLM_TeamMembership: [
    { user_id: 'ghost', team_id: 't', budget_id: 'org' },
    { user_id: 'bob', team_id: 't', budget_id: 'tokens' },
  ],
  LiteLLM_UserTable: [{ user_id: 'ann', user_email: 'ann@example.com', models: [] }],
  LiteLLM_VerificationToken: [answeredKeys, refusedKeys, revokedKeys].flatMap((keys) =>
    Object.entries(keys).map(keyRow),
  ),
  LiteLLM_BudgetWindowSpend: [
    windowSpend('key', litellmHash('sk-day window'), '1d', 1.000000001),
    windowSpend('key', litellmHash('sk-day window reached'), '1d', 5),
    windowSpend('key', litellmHash('sk-includes the day'), '1d', 1.5),
    windowSpend('key', litellmHash('sk-includes the day'), '30d', 25.25),
    windowSpend('key', litellmHash('sk-two windows'), '1d', 1),
    windowSpend('key', litellmHash('sk-two windows'), '30d', 30),
    windowSpend('team', 'windowed', '1d', 2),
    windowSpend('team', 'windowed', '30d', 20.5),
    windowSpend('team', 'window-full', '1d', 5.5),
    windowSpend('team', 'window-full', '30d', 20.5),
  ],
});
