import { createHash } from 'node:crypto';
import { capPeriods } from '../../core/time/cap-period.ts';
import type { FindingSubject } from '../findings.ts';
import { shownName } from '../item-name.ts';
import type { PlannedKey, PlannedSecret } from '../plan.ts';
import { Secret } from '../secret.ts';
import { isTrue, type Row, timeOf } from '../table-reader.ts';
import { countOf, textsIn, valuesOf } from '../values.ts';
import { moneyOf } from '../amounts.ts';
import { budgetOf, limitsOf } from './budgets.ts';
import { reportRates } from './rates.ts';
import type { People } from './users.ts';
import { dashboardTeam, type OwnerParts, teamAccountId, unassignedId, userAccountId } from './teams.ts';

/** Rows of keys that clients use, without those that the dashboard of LiteLLM made for itself. */
export function clientKeys(parts: OwnerParts): readonly Row[] {
  const { source, findings } = parts;
  const all = source.tables.keys;
  const ofDashboard = all.filter((row) => row['team_id'] === dashboardTeam);
  if (ofDashboard.length > 0)
    findings.add('dashboard_keys', { kind: 'table', sourceId: dashboardTeam }, { count: ofDashboard.length });
  return all.filter((row) => row['team_id'] !== dashboardTeam);
}

/** The account that a key belongs to. A key with a team ignores the budget of its user. */
export function accountOf(row: Row, teams: ReadonlySet<string>): string {
  const [team, user] = [row['team_id'] ?? '', row['user_id'] ?? ''];
  if (team !== '' && teams.has(team)) return teamAccountId(team);
  return user === '' ? unassignedId : userAccountId(user);
}

export function planKeys(rows: readonly Row[], { users, personOf }: People, parts: OwnerParts): readonly PlannedKey[] {
  const teams = new Set(parts.source.tables.teams.map((row) => row['team_id'] ?? ''));
  const memberships = new Set(
    users.flatMap(({ sourceId, memberships: own }) => own.map(({ account }) => `${sourceId} ${account}`)),
  );
  const planned = rows.flatMap((row): PlannedKey[] => {
    const key = planKey(row, accountOf(row, teams), parts);
    const member = personOf(row['user_id'] ?? '');
    return key ? [{ ...key, ...(memberships.has(`${member ?? ''} ${key.account}`) && { member }) }] : [];
  });
  return [...planned, ...replacedKeys(planned, parts)];
}

/** The hash of a key is as good as a secret of the source: no text contains it. */
export function keySourceId(token: string): string {
  return createHash('sha256').update(`litellm key ${token}`).digest('hex').slice(0, 24);
}

const hashForm = /^[0-9a-f]{64}$/;

function secretOf(token: string): PlannedSecret | undefined {
  if (hashForm.test(token)) return { form: 'sha256', digest: new Secret(token) };
  return token.startsWith('sk-') ? { form: 'plain', value: new Secret(token) } : undefined;
}

function planKey(row: Row, account: string, parts: OwnerParts): PlannedKey | undefined {
  const { findings } = parts;
  const sourceId = keySourceId(row['token'] ?? '');
  const subject = { kind: 'key', sourceId } as const;
  const secret = secretOf(row['token'] ?? '');
  const name = shownName(row['key_alias']) ?? shownName(row['key_name']) ?? sourceId;
  if (!secret) {
    findings.add('key_unreadable', subject, { name });
    return undefined;
  }
  const shared = parts.source.tables.budgets.find((each) => each['budget_id'] === row['budget_id'] && row['budget_id']);
  reportKeySettings(row, name, parts);
  const team = row['team_id'] ?? '';
  if (team !== '' && account !== teamAccountId(team)) findings.add('key_team_gone', subject, { name, team, account });
  const cap = capOf(row, shared, { ...parts, subject, name });
  const maxConcurrency = countOf(row['max_parallel_requests']) ?? countOf(shared?.['max_parallel_requests']);
  const isBlocked = isTrue(row['blocked']) || isOfBlockedProject(row, parts);
  if (isBlocked) findings.add('key_blocked', subject, { name });
  const expiresAt = timeOf(row['expires']);
  return {
    sourceId,
    account,
    name,
    secret,
    models: parts.models(textsIn(row['models']), subject),
    ...cap,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(expiresAt !== undefined && { expiresAt }),
    status: isBlocked ? 'revoked' : 'active',
  };
}

interface CapParts extends OwnerParts {
  readonly subject: FindingSubject;
  readonly name: string;
}

/** A key has one cap: the one of the key itself, before those of its shared budget and of further windows. */
function capOf(
  row: Row,
  shared: Row | undefined,
  parts: CapParts,
): Pick<PlannedKey, 'spendCap' | 'capPeriod' | 'spent'> {
  const own = limitsOf(budgetOf(row), row['spend'], parts);
  const limits = own.length > 0 || !shared ? own : limitsOf(budgetOf(shared), row['spend'], parts);
  const [first, ...others] = limits;
  if (others.length > 0) parts.findings.add('further_caps', parts.subject, { name: parts.name, count: others.length });
  if (!first) return { spent: moneyOf('spend', row['spend'] ?? undefined, parts) ?? 0n };
  const capPeriod = capPeriods.find((each) => each === first.period);
  return { spendCap: first.amount, ...(capPeriod && { capPeriod }), spent: first.spent };
}

function isOfBlockedProject(row: Row, { source }: OwnerParts): boolean {
  const project = source.tables.projects.find((each) => each['project_id'] === row['project_id'] && row['project_id']);
  return isTrue(project?.['blocked']);
}

function reportKeySettings(row: Row, name: string, { source, findings }: OwnerParts): void {
  const subject = { kind: 'key', sourceId: keySourceId(row['token'] ?? '') } as const;
  reportRates(row, subject, findings);
  const aliases = Object.keys(valuesOf(row['aliases']));
  if (aliases.length > 0) findings.add('own_aliases', subject, { names: aliases.join(', ') });
  const budgets = Object.keys(valuesOf(row['model_max_budget']));
  if (budgets.length > 0) findings.add('model_budgets', subject, { models: budgets.join(', ') });
  const routes = textsIn(row['allowed_routes']);
  if (routes.length > 0) findings.add('allowed_routes', subject, { name, routes: routes.join(', ') });
  const project = source.tables.projects.find((each) => each['project_id'] === row['project_id'] && row['project_id']);
  if (project)
    findings.add('project_label', subject, { name, project: project['project_alias'] ?? row['project_id'] ?? '' });
}

/** Keys that were rotated and end at a given time. They share the limits of the keys that replaced them. */
function replacedKeys(planned: readonly PlannedKey[], { source }: OwnerParts): readonly PlannedKey[] {
  const byId = new Map(planned.map((key) => [key.sourceId, key]));
  return source.tables.replacedKeys.flatMap((row): PlannedKey[] => {
    const current = byId.get(keySourceId(row['active_token_id'] ?? ''));
    const secret = secretOf(row['token'] ?? '');
    const revokeAt = timeOf(row['revoke_at']);
    if (!current || !secret || revokeAt === undefined) return [];
    const expiresAt = Math.min(revokeAt, current.expiresAt ?? revokeAt);
    const sourceId = keySourceId(row['token'] ?? '');
    return [{ ...current, sourceId, secret, expiresAt, spent: 0n, replacedBy: current.sourceId }];
  });
}
