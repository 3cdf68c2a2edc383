import type { FindingList, FindingSubject } from '../findings.ts';
import { type itemNames, shownName } from '../item-name.ts';
import type { PlannedAccount, PlannedOrganisation } from '../plan.ts';
import { isTrue, type Row } from '../table-reader.ts';
import { textsIn, textsOf, valuesOf } from '../values.ts';
import { budgetOf, limitsOf } from './budgets.ts';
import { lostColumnsOf } from './decided-columns.ts';
import { lostOfOrganisation } from './lost-limits.ts';
import type { ModelLists } from './model-lists.ts';
import { type LiteLlmSource, windowsOf } from './source.ts';
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
const unassignedId = 'unassigned';

export function teamAccountId(teamId: string): string {
  return `team:${teamId}`;
}

/** An account for keys without a team. An account has one organisation, so a user has one for each. */
export interface PersonalAccount {
  readonly id: string;
  /** Empty: the keys belong to no user. */
  readonly user: string;
  readonly organisation: string | undefined;
}

export function personalAccount(user: string, organisation?: string): PersonalAccount {
  const owner = user === '' ? unassignedId : `user:${user}`;
  return { id: organisation === undefined ? owner : `${owner}@organisation:${organisation}`, user, organisation };
}

/** An account arrives suspended if a limit of it or of its organisation cannot be carried over. */
function statusOf(
  { id, name, lost }: { readonly id: string; readonly name: string; readonly lost: readonly string[] },
  { findings }: OwnerParts,
): PlannedAccount['status'] {
  if (lost.length === 0) return 'active';
  findings.add('account_limits_lost', { kind: 'account', sourceId: id }, { name, limits: lost.join(', ') });
  return 'suspended';
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
  const { source, findings } = parts;
  const organisations = new Set(source.tables.organisations.map((row) => row['organization_id']));
  return source.tables.teams.filter(isNoDashboardTeam).map((row) => {
    const id = row['team_id'] ?? '';
    const sourceId = teamAccountId(id);
    const subject = { kind: 'account', sourceId } as const;
    const organisation = row['organization_id'] || undefined;
    if (organisation !== undefined && !organisations.has(organisation))
      findings.add('organisation_gone', subject, { organisation });
    reportRates(row, subject, findings);
    reportTeamSettings(row, parts);
    const name = parts.named(row['team_alias'], sourceId);
    const models = parts.models(textsIn(row['models']), subject, textsIn(row['access_group_ids']));
    const lost = [...lostColumnsOf('teams', row), ...lostOfOrganisation(source, organisation)];
    const status = statusOf({ id: sourceId, name, lost }, parts);
    return {
      sourceId,
      name,
      displayName: shownName(row['team_alias']),
      organisation: organisations.has(organisation) ? organisation : undefined,
      packageName: parts.packages.of(models, name),
      billing: 'postpaid',
      status: isTrue(row['blocked']) ? 'suspended' : status,
      limits: limitsOf(budgetOf(row), row['spend'], { ...parts, subject, windowOf: windowsOf('team', id, source) }),
      timeZone: parts.timeZone,
      balance: 0n,
    };
  });
}

/** The accounts of keys without a team. The budget of a user with several of them is that of the first one. */
export function planPersonalAccounts(
  accounts: readonly PersonalAccount[],
  parts: OwnerParts,
): readonly PlannedAccount[] {
  const users = new Map(parts.source.tables.users.map((row) => [row['user_id'], row]));
  const withBudget = new Set<string>();
  return accounts.map(({ id, user, organisation }) => {
    const subject = { kind: 'account', sourceId: id } as const;
    const row: Row = users.get(user) ?? {};
    reportRates(row, subject, parts.findings);
    const label = user === '' ? 'litellm' : (row['user_alias'] ?? row['user_email'] ?? user);
    const name = parts.named(label, id);
    const limits = limitsOf(budgetOf(row), row['spend'], { ...parts, subject });
    const isFurther = limits.length > 0 && withBudget.has(user);
    withBudget.add(user);
    const lost = [
      ...lostColumnsOf('users', row),
      ...lostOfOrganisation(parts.source, organisation),
      ...(isFurther ? [`max_budget ${row['max_budget'] ?? ''} of the user for the keys of all organisations`] : []),
    ];
    return {
      sourceId: id,
      name,
      displayName: user === '' ? undefined : shownName(label),
      organisation,
      packageName: parts.packages.of(parts.models(textsIn(row['models']), subject), name),
      billing: 'postpaid',
      status: statusOf({ id, name, lost }, parts),
      limits: isFurther ? [] : limits,
      timeZone: parts.timeZone,
      balance: 0n,
    };
  });
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
  reportGuardrails(row, subject, findings);
}

export function reportGuardrails(row: Row, subject: FindingSubject, findings: FindingList): void {
  const names = [...textsOf(valuesOf(row['metadata'])['guardrails']), ...textsIn(row['policies'])];
  if (names.length > 0) findings.add('setting_not_taken', subject, { what: `guardrails ${names.join(', ')}` });
}
