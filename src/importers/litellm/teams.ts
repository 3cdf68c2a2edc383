import type { FindingList } from '../findings.ts';
import { type itemNames, shownName } from '../item-name.ts';
import type { PlannedAccount, PlannedOrganisation } from '../plan.ts';
import { isTrue, type Row } from '../table-reader.ts';
import { recordOf, textOf, textsIn, valuesOf } from '../values.ts';
import { budgetOf, limitsOf } from './budgets.ts';
import type { ModelLists } from './model-lists.ts';
import type { LiteLlmSource } from './source.ts';
import type { ModelPackages } from '../model-packages.ts';
import { reportRates } from './rates.ts';

export interface OwnerParts {
  readonly source: LiteLlmSource;
  readonly models: ModelLists;
  readonly packages: ModelPackages;
  readonly named: ReturnType<typeof itemNames>;
  readonly timeZone: string;
  readonly findings: FindingList;
  readonly now: number;
}

/** The account of keys that belong to neither a team nor a user. */
export const unassignedId = 'unassigned';

export function teamAccountId(teamId: string): string {
  return `team:${teamId}`;
}

export function userAccountId(userId: string): string {
  return `user:${userId}`;
}

export function planOrganisations(parts: OwnerParts): readonly PlannedOrganisation[] {
  const { tables } = parts.source;
  const budgets = new Map(tables.budgets.map((row) => [row['budget_id'], row]));
  return tables.organisations.map((row) => {
    const sourceId = row['organization_id'] ?? '';
    const subject = { kind: 'organisation', sourceId } as const;
    const name = row['organization_alias'] ?? undefined;
    const budget = budgets.get(row['budget_id']);
    if (budget) reportRates(budget, subject, parts.findings);
    const limits = budget ? limitsOf(budgetOf(budget), row['spend'], { ...parts, subject }) : [];
    return {
      sourceId,
      name: parts.named(name, sourceId),
      displayName: shownName(name),
      models: parts.models(textsIn(row['models']), subject),
      limits,
      timeZone: parts.timeZone,
    };
  });
}

/** One account for each team. LiteLLM has budgets instead of balances: the accounts are postpaid. */
export function planTeams(parts: OwnerParts): readonly PlannedAccount[] {
  const organisations = new Set(parts.source.tables.organisations.map((row) => row['organization_id']));
  return parts.source.tables.teams.filter(isNoDashboardTeam).map((row) => {
    const id = row['team_id'] ?? '';
    const sourceId = teamAccountId(id);
    const subject = { kind: 'account', sourceId } as const;
    const organisation = row['organization_id'] || undefined;
    if (organisation !== undefined && !organisations.has(organisation))
      parts.findings.add('organisation_gone', subject, { organisation });
    reportRates(row, subject, parts.findings);
    reportTeamSettings(row, parts);
    const name = parts.named(row['team_alias'], sourceId);
    return {
      sourceId,
      name,
      displayName: shownName(row['team_alias']),
      organisation: organisations.has(organisation) ? organisation : undefined,
      packageName: parts.packages.of(parts.models(textsIn(row['models']), subject), name),
      billing: 'postpaid',
      status: isTrue(row['blocked']) ? 'suspended' : 'active',
      limits: limitsOf(budgetOf(row), row['spend'], { ...parts, subject }),
      timeZone: parts.timeZone,
      balance: 0n,
    };
  });
}

/** One account for a user who has keys of their own, or who is in no team. */
export function planPersonalAccounts(userIds: ReadonlySet<string>, parts: OwnerParts): readonly PlannedAccount[] {
  const users = new Map(parts.source.tables.users.map((row) => [row['user_id'], row]));
  return [...userIds].map((id) => {
    const sourceId = userAccountId(id);
    const subject = { kind: 'account', sourceId } as const;
    const row: Row = users.get(id) ?? {};
    reportRates(row, subject, parts.findings);
    const label = row['user_alias'] ?? row['user_email'] ?? id;
    const name = parts.named(label, sourceId);
    const listed = textsIn(row['models']);
    const models = listed.includes('no-default-models') && listed.length === 1 ? [] : parts.models(listed, subject);
    return {
      sourceId,
      name,
      displayName: shownName(label),
      packageName: parts.packages.of(models, name),
      billing: 'postpaid',
      status: 'active',
      limits: limitsOf(budgetOf(row), row['spend'], { ...parts, subject }),
      timeZone: parts.timeZone,
      balance: 0n,
    };
  });
}

export function unassignedAccount(parts: OwnerParts): PlannedAccount {
  const name = parts.named('litellm', unassignedId);
  return {
    sourceId: unassignedId,
    name,
    packageName: parts.packages.of(undefined, name),
    billing: 'postpaid',
    status: 'active',
    limits: [],
    timeZone: parts.timeZone,
    balance: 0n,
  };
}

/** The dashboard of LiteLLM makes a key of this team for every session. */
export const dashboardTeam = 'litellm-dashboard';

function isNoDashboardTeam(row: Row): boolean {
  return row['team_id'] !== dashboardTeam;
}

function reportTeamSettings(row: Row, { source, findings }: OwnerParts): void {
  const subject = { kind: 'account', sourceId: teamAccountId(row['team_id'] ?? '') } as const;
  const aliases = source.tables.teamAliases.find((each) => each['id'] === row['model_id'] && row['model_id'] !== null);
  const names = Object.keys(valuesOf(aliases?.['model_aliases'] ?? aliases?.['aliases']));
  if (names.length > 0) findings.add('own_aliases', subject, { names: names.join(', ') });
  if (Object.keys(valuesOf(row['model_max_budget'])).length > 0)
    findings.add('model_budgets', subject, { models: Object.keys(valuesOf(row['model_max_budget'])).join(', ') });
  const guardrails = recordOf(valuesOf(row['metadata']))['guardrails'];
  if (Array.isArray(guardrails) && guardrails.length > 0)
    findings.add('setting_not_taken', subject, { what: `guardrails ${guardrails.map(textOf).join(', ')}` });
}
