import { createHash } from 'node:crypto';
import type { FindingSubject } from '../findings.ts';
import { shownName } from '../item-name.ts';
import type { PlannedKey, PlannedSecret } from '../plan.ts';
import { Secret } from '../secret.ts';
import { isTrue, type Row, timeOf } from '../table-reader.ts';
import { countOf, recordOf, textsIn, textsOf, valuesOf } from '../values.ts';
import { capOf } from './key-caps.ts';
import { budgetRow, isInactive, lostOfKey, rowOf } from './lost-limits.ts';
import { reportRates } from './rates.ts';
import type { LiteLlmSource } from './source.ts';
import type { People } from './users.ts';
import {
  dashboardTeam,
  type OwnerParts,
  type PersonalAccount,
  personalAccount,
  reportGuardrails,
  teamAccountId,
} from './teams.ts';

/** Rows of keys that clients use, without those that the dashboard of LiteLLM made for itself. */
export function clientKeys(parts: OwnerParts): readonly Row[] {
  const { source, findings } = parts;
  const all = source.tables.keys;
  const ofDashboard = all.filter((row) => row['team_id'] === dashboardTeam);
  if (ofDashboard.length > 0)
    findings.add('dashboard_keys', { kind: 'table', sourceId: dashboardTeam }, { count: ofDashboard.length });
  return all.filter((row) => row['team_id'] !== dashboardTeam);
}

interface KeyOwner {
  readonly account: string;
  /** The account of a user or of an organisation. Left out for a key of a team: it ignores the budget of its user. */
  readonly personal?: PersonalAccount;
}

/** The account of each key. The budget of an organisation also holds for its keys without a team. */
export function keyOwners({ source: { tables } }: OwnerParts): (row: Row) => KeyOwner {
  const teams = new Set(tables.teams.map((row) => row['team_id']));
  const organisations = new Set(tables.organisations.map((row) => row['organization_id']));
  return (row) => {
    const team = row['team_id'] ?? '';
    if (team !== '' && teams.has(team)) return { account: teamAccountId(team) };
    const organisation = row['organization_id'] ?? undefined;
    const personal = personalAccount(row['user_id'] ?? '', organisations.has(organisation) ? organisation : undefined);
    return { account: personal.id, personal };
  };
}

export function planKeys(rows: readonly Row[], people: People, parts: OwnerParts): readonly PlannedKey[] {
  const ownerOf = keyOwners(parts);
  const planned = rows.flatMap((row): readonly PlannedKey[] => {
    const { account } = ownerOf(row);
    const member = people.memberOf(row['user_id'] ?? '', account);
    return planKey(row, { account, member }, parts);
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

function planKey(
  row: Row,
  { account, member }: Pick<PlannedKey, 'account' | 'member'>,
  parts: OwnerParts,
): readonly PlannedKey[] {
  const { source, findings } = parts;
  const sourceId = keySourceId(row['token'] ?? '');
  const subject = { kind: 'key', sourceId } as const;
  const secret = secretOf(row['token'] ?? '');
  const name = shownName(row['key_alias']) ?? shownName(row['key_name']) ?? sourceId;
  if (!secret) {
    findings.add('key_unreadable', subject, { name });
    return [];
  }
  reportKeySettings(row, { account, name, subject }, parts);
  reportFurtherModels(row, { name, subject }, parts);
  const { lost: lostWindows, ...cap } = capOf(row, { ...parts, subject, name });
  const addresses = allowedAddresses(source);
  const lost = [
    ...lostOfKey(row, { source, isMember: member !== undefined }),
    ...lostWindows,
    ...(addresses?.length === 0 ? ['allowed_ips'] : []),
  ];
  if (lost.length > 0) findings.add('key_limits_lost', subject, { name, limits: lost.join(', ') });
  const isBlocked = isBlockedHere(row, parts);
  if (isBlocked) findings.add('key_blocked', subject, { name });
  const maxConcurrency =
    countOf(row['max_parallel_requests']) ?? countOf(budgetRow(source.tables, row)?.['max_parallel_requests']);
  return [
    {
      sourceId,
      account,
      ...(member !== undefined && { member }),
      name,
      secret,
      models: modelsOf(row, subject, parts),
      ...cap,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      ...(addresses && addresses.length > 0 && { addresses }),
      status: isBlocked || lost.length > 0 ? 'revoked' : 'active',
    },
  ];
}

/** The models of the key, if its project has them too. */
function modelsOf(row: Row, subject: FindingSubject, { source, models }: OwnerParts): readonly string[] | undefined {
  const own = models(textsIn(row['models']), subject, textsIn(row['access_group_ids']));
  const project = rowOf(source.tables.projects, 'project_id', row['project_id']);
  const ofProject = models(textsIn(project?.['models']), subject);
  return own && ofProject ? own.filter((model) => ofProject.includes(model)) : (own ?? ofProject);
}

/** The access group of a key can have models that its team does not have. A key has no more models than its account here. */
function reportFurtherModels(
  row: Row,
  { name, subject }: { readonly name: string; readonly subject: FindingSubject },
  { source, models, findings }: OwnerParts,
): void {
  const team = rowOf(source.tables.teams, 'team_id', row['team_id']);
  const ofTeam = team && models(textsIn(team['models']), subject, textsIn(team['access_group_ids']));
  const ofGroups = models(['no-default-models'], subject, textsIn(row['access_group_ids'])) ?? [];
  if (!ofTeam || ofTeam.some((model) => model.includes('*'))) return;
  const further = ofGroups.filter((model) => !ofTeam.includes(model));
  if (further.length > 0) findings.add('access_group_models', subject, { name, models: further.join(', ') });
}

/** Addresses that may send requests to LiteLLM. */
function allowedAddresses({ config, target }: LiteLlmSource): readonly string[] | undefined {
  const listed = recordOf(config['general_settings'])['allowed_ips'];
  return Array.isArray(listed) ? textsOf(listed).filter((text) => target.isAddressOrRange(text)) : undefined;
}

function isBlockedHere(row: Row, { source: { tables } }: OwnerParts): boolean {
  const project = rowOf(tables.projects, 'project_id', row['project_id']);
  return (
    isTrue(row['blocked']) || isTrue(project?.['blocked']) || isInactive(rowOf(tables.users, 'user_id', row['user_id']))
  );
}

function reportKeySettings(
  row: Row,
  { account, name, subject }: { readonly account: string; readonly name: string; readonly subject: FindingSubject },
  { source, findings }: OwnerParts,
): void {
  reportRates(row, subject, findings);
  reportGuardrails(row, subject, findings);
  const team = row['team_id'] ?? '';
  if (team !== '' && account !== teamAccountId(team)) findings.add('key_team_gone', subject, { name, team, account });
  const aliases = Object.keys(valuesOf(row['aliases']));
  if (aliases.length > 0) findings.add('own_aliases', subject, { names: aliases.join(', ') });
  const project = rowOf(source.tables.projects, 'project_id', row['project_id']);
  if (!project) return;
  reportRates(project, subject, findings);
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
    const own = { ...current, sourceId, secret, expiresAt, spent: 0n, replacedBy: current.sourceId };
    return [{ ...own, spentInPeriod: undefined }];
  });
}
