import { type Row, timeOf } from '../table-reader.ts';
import { recordOf, textOf, textsIn, textsOf, valuesOf } from '../values.ts';
import { lostColumnsOf } from './decided-columns.ts';
import type { LiteLlmSource } from './source.ts';

type Tables = LiteLlmSource['tables'];

/** The limits of an organisation that cannot be carried over. They hold for all its accounts. */
export function lostOfOrganisation({ tables }: LiteLlmSource, id: string | undefined): readonly string[] {
  const row = rowOf(tables.organisations, 'organization_id', id);
  const lost = [...lostColumnsOf('organisations', row), ...lostOfBudget(tables, row)];
  return lost.map((each) => `${each} of the organisation ${row?.['organization_alias'] ?? id ?? ''}`);
}

/** The shared budget that a row names. */
export function budgetRow({ budgets }: Pick<Tables, 'budgets'>, row: Row | undefined): Row | undefined {
  return rowOf(budgets, 'budget_id', row?.['budget_id']);
}

function lostOfBudget(tables: Tables, row: Row | undefined): readonly string[] {
  return lostColumnsOf('budgets', budgetRow(tables, row));
}

/** The limits of a key that cannot be carried over, apart from those of its account. */
export function lostOfKey(
  row: Row,
  { source, isMember }: { source: LiteLlmSource; isMember: boolean },
): readonly string[] {
  const { tables } = source;
  const team = rowOf(tables.teams, 'team_id', row['team_id']);
  return [
    ...lostColumnsOf('keys', row),
    ...lostOfBudget(tables, row),
    ...lostRoutes(row),
    ...lostSettings(row, tables),
    ...lostOfPermission(row, tables),
    ...lostOfGroups(row, team, tables),
    ...lostOfProject(row, tables),
    ...(team ? lostInTeam(row, team, { source, isMember }) : []),
  ];
}

/** Presets and lists of routes. A key of `info_routes` or `management_routes` may not send requests to models. */
function lostRoutes(row: Row): readonly string[] {
  const routes = textsIn(row['allowed_routes']);
  if (routes.some((route) => ['llm_api_routes', '*', '/*'].includes(route))) return [];
  if (routes.length > 0) return [`routes ${routes.join(', ')}`];
  const type = row['key_type'] ?? '';
  return ['read_only', 'management'].includes(type) ? [`key_type ${type}`] : [];
}

const limitingSettings = ['enforced_params', 'end_user_budget_id', 'require_trace_id'];

function lostSettings(row: Row, tables: Tables): readonly string[] {
  const metadata = valuesOf(row['metadata']);
  const isSet = (name: string): boolean => ![undefined, null, false, ''].includes(metadata[name] as undefined);
  const tags = textsOf(metadata['tags']).filter((tag) => rowOf(tables.tags, 'tag_name', tag)?.['budget_id']);
  return [...limitingSettings.filter(isSet), ...tags.map((tag) => `the budget of the tag ${tag}`)];
}

function lostOfPermission(row: Row, { permissions }: Tables): readonly string[] {
  const tools = textsIn(rowOf(permissions, 'object_permission_id', row['object_permission_id'])?.['blocked_tools']);
  return tools.length > 0 ? [`blocked tools ${tools.join(', ')}`] : [];
}

/** The budget of an access group holds for those that name the group in their list of models. */
function lostOfGroups(row: Row, team: Row | undefined, { groupBudgets }: Tables): readonly string[] {
  const named = new Set([...textsIn(row['models']), ...textsIn(team?.['models'])]);
  return groupBudgets
    .filter((group) => group['budget_id'] && named.has(group['access_group_name'] ?? ''))
    .map((group) => `the budget of the access group ${group['access_group_name'] ?? ''}`);
}

/** A project limits some keys of a team. Its models are taken, its budget is not. */
function lostOfProject(row: Row, tables: Tables): readonly string[] {
  const project = rowOf(tables.projects, 'project_id', row['project_id']);
  const budget = budgetRow(tables, project);
  const max = budget?.['max_budget'] ?? undefined;
  const lost = [
    ...lostColumnsOf('projects', project),
    ...lostColumnsOf('budgets', budget),
    ...lostOfPermission(project ?? {}, tables),
    ...(max === undefined ? [] : [`max_budget ${max}`]),
  ];
  return lost.map((each) => `${each} of the project ${project?.['project_alias'] ?? row['project_id'] ?? ''}`);
}

/** Limits of a user and a membership that only keys of a team lose: other keys have an account of the user. */
function lostInTeam(
  row: Row,
  team: Row,
  { source: { tables, config }, isMember }: { source: LiteLlmSource; isMember: boolean },
): readonly string[] {
  const user = rowOf(tables.users, 'user_id', row['user_id']);
  const membership = tables.teamMembers.find(
    (each) => each['team_id'] === team['team_id'] && each['user_id'] === row['user_id'],
  );
  const member = budgetRow(tables, membership);
  const isLimited = row['user_id'] && (member ?? memberDefault(tables, team));
  const ofUser = recordOf(config['general_settings'])['apply_user_budget_to_team_keys'] === true;
  const max = ofUser ? (user?.['max_budget'] ?? undefined) : undefined;
  const organisation = row['organization_id'] || team['organization_id'];
  return [
    ...lostColumnsOf('users', user).map((each) => `${each} of its user`),
    ...(max === undefined ? [] : [`max_budget ${max} of its user`]),
    ...lostColumnsOf('budgets', member).map((each) => `${each} of its user in the team`),
    ...(isLimited && !isMember ? ['the limits of its user in the team'] : []),
    ...(organisation === team['organization_id'] ? [] : [`the organisation ${organisation ?? ''} of the key`]),
  ];
}

/** The budget of members of a team without a budget of their own. */
export function memberDefault({ budgets }: Pick<Tables, 'budgets'>, team: Row): Row | undefined {
  const row = rowOf(budgets, 'budget_id', textOf(valuesOf(team['metadata'])['team_member_budget_id']));
  return row?.['max_budget'] ? row : undefined;
}

/** Whether the identity provider has switched the user off. LiteLLM refuses the keys of such a user. */
export function isInactive(user: Row | undefined): boolean {
  return valuesOf(user?.['metadata'])['scim_active'] === false;
}

export function rowOf(rows: readonly Row[], column: string, id: string | null | undefined): Row | undefined {
  return id ? rows.find((row) => row[column] === id) : undefined;
}

/** `temp_budget_increase`, until it ends. Empty if it is over, or if one of both is missing. */
export function temporaryBudget(
  values: { readonly increase: string | undefined; readonly expiry: string | undefined },
  now: number,
): { readonly increase: string; readonly until: number } | undefined {
  const until = timeOf(values.expiry);
  if (values.increase === undefined || until === undefined || until <= now) return undefined;
  return { increase: values.increase, until };
}
