import type { ForeignPassword, PlannedMembership, PlannedUser } from '../plan.ts';
import { shownName } from '../item-name.ts';
import { Secret } from '../secret.ts';
import type { Row } from '../table-reader.ts';
import { countOf, listOf, recordOf, textOf, textsIn } from '../values.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';
import { budgetOf, limitsOf } from './budgets.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import { budgetRow, isInactive, memberDefault, temporaryBudget } from './lost-limits.ts';
import { proxyBudgetUser } from './proxy-budget.ts';
import { type OwnerParts, type PersonalAccount, teamAccountId } from './teams.ts';
import { reportRates } from './rates.ts';

export interface People {
  readonly users: readonly PlannedUser[];
  /**
   * The source id of the person of a user, if the person is a member of the account with the terms of this user. A user
   * without an e-mail address is no person.
   */
  readonly memberOf: (userId: string, account: string) => string | undefined;
}

/**
 * Plans the users with an e-mail address, and their roles. Users with the same address become one person. `personal`: their
 * own accounts.
 */
export function planUsers(personal: readonly PersonalAccount[], parts: OwnerParts): People {
  const { source, findings } = parts;
  const memberships = membershipsByUser(parts);
  const organisations = organisationRoles(parts);
  const byEmail = new Map<string, PlannedUser>();
  const persons = new Map<string, string>();
  const ownAccounts = Map.groupBy(personal, ({ user }) => user);
  const ofUsers = new Map<string, string>();
  for (const row of source.tables.users) {
    const id = row['user_id'] ?? '';
    const subject = { kind: 'user', sourceId: id } as const;
    const role = row['user_role'] ?? '';
    const email = row['user_email']?.trim().toLowerCase() ?? '';
    if (id === proxyBudgetUser) continue;
    if (isInactive(row)) {
      findings.add('user_inactive', subject);
      continue;
    }
    if (!email.includes('@')) {
      findings.add('email_missing', subject);
      continue;
    }
    if (role.startsWith('proxy_admin')) findings.add('operator_proposed', subject, { role });
    if (row['sso_user_id']) findings.add('sso_binding', subject);
    const own = (ownAccounts.get(id) ?? []).map(({ id: account }) => ({ account, role: 'owner', limits: [] }) as const);
    const roles = {
      memberships: [...own, ...(memberships.get(id) ?? [])],
      organisations: organisations.get(id) ?? [],
    };
    const first = byEmail.get(email);
    const person = first?.sourceId ?? id;
    persons.set(id, person);
    const isNew = (account: string): boolean => first?.memberships.every((each) => each.account !== account) ?? true;
    for (const { account } of roles.memberships) if (isNew(account)) ofUsers.set(`${id} ${account}`, person);
    if (first) {
      findings.add('email_shared', subject, { first: first.sourceId });
      byEmail.set(email, withRoles(first, roles));
      continue;
    }
    const password = passwordOf(row['password']);
    if (row['password'] && !password) findings.add('password_unknown', subject);
    byEmail.set(email, { sourceId: id, email, displayName: shownName(row['user_alias']), password, ...roles });
  }
  reportLostTerms(memberships, persons, parts);
  return { users: [...byEmail.values()], memberOf: (id, account) => ofUsers.get(`${id} ${account}`) };
}

/** Limits in a team of users who are no person here. Without them, their keys have only the limits of the team. */
function reportLostTerms(
  memberships: ReturnType<typeof membershipsByUser>,
  persons: ReadonlyMap<string, string>,
  { findings }: OwnerParts,
): void {
  for (const [id, own] of memberships) {
    if (persons.has(id)) continue;
    for (const { account, limits, models, maxConcurrency } of own) {
      const terms = [
        ...limits.map(({ amount, period }) => `${decimalText(amount)} (${period})`),
        ...(maxConcurrency === undefined ? [] : [`${maxConcurrency} requests at once`]),
        ...(models === undefined ? [] : [`models ${models.join(', ')}`]),
      ];
      const params = { team: account.slice(teamAccountId('').length), limits: terms.join(', ') };
      if (terms.length > 0) findings.add('member_terms_lost', { kind: 'user', sourceId: id }, params);
    }
  }
}

/** The person with the roles of a second user. In an account and organisation of both, those of the first stay. */
function withRoles(first: PlannedUser, more: Pick<PlannedUser, 'memberships' | 'organisations'>): PlannedUser {
  const accounts = new Set(first.memberships.map(({ account }) => account));
  const organisations = new Set(first.organisations.map(({ organisation }) => organisation));
  return {
    ...first,
    memberships: [...first.memberships, ...more.memberships.filter(({ account }) => !accounts.has(account))],
    organisations: [
      ...first.organisations,
      ...more.organisations.filter(({ organisation }) => !organisations.has(organisation)),
    ],
  };
}

function passwordOf(stored: string | null | undefined): ForeignPassword | undefined {
  if (stored === undefined || stored === null) return undefined;
  if (stored.startsWith('scrypt:')) return { form: 'scrypt-16384', hash: new Secret(stored.slice('scrypt:'.length)) };
  return /^[0-9a-f]{64}$/i.test(stored) ? { form: 'sha256', hash: new Secret(stored.toLowerCase()) } : undefined;
}

/** The members of teams, from the list in the team, and the limits of their membership rows. */
function membershipsByUser(parts: OwnerParts): ReadonlyMap<string, readonly PlannedMembership[]> {
  const { tables } = parts.source;
  const idsByEmail = new Map(
    tables.users.toReversed().map((row) => [row['user_email']?.toLowerCase(), row['user_id'] ?? '']),
  );
  const found = new Map<string, PlannedMembership[]>();
  for (const team of tables.teams) {
    const teamId = team['team_id'] ?? '';
    const roles = new Map<string, PlannedMembership['role']>();
    for (const entry of listOf(jsonWithNumberTexts(team['members_with_roles'] ?? '')).map(recordOf)) {
      const id = textOf(entry['user_id']) ?? idsByEmail.get(textOf(entry['user_email'])?.toLowerCase());
      if (id !== undefined) roles.set(id, textOf(entry['role']) === 'admin' ? 'owner' : 'member');
    }
    for (const id of textsIn(team['members'])) if (!roles.has(id)) roles.set(id, 'member');
    for (const id of textsIn(team['admins'])) roles.set(id, 'owner');
    for (const [id, role] of roles)
      found.set(id, [
        ...(found.get(id) ?? []),
        { account: teamAccountId(teamId), role, ...ownLimits(id, team, parts) },
      ]);
  }
  return found;
}

/** Budget, models and concurrency of a user in a team. The team may have a budget for members without an own one. */
function ownLimits(
  userId: string,
  team: Row,
  parts: OwnerParts,
): Pick<PlannedMembership, 'limits' | 'models' | 'maxConcurrency'> {
  const { tables } = parts.source;
  const row = tables.teamMembers.find((each) => each['user_id'] === userId && each['team_id'] === team['team_id']);
  const own = budgetRow(tables, row);
  const budget = own?.['max_budget'] ? own : memberDefault(tables, team);
  const subject = { kind: 'user', sourceId: userId } as const;
  const limits = budget ? limitsOf(budgetOf(budget), row?.['spend'], { ...parts, subject }) : [];
  if (!own) return { limits };
  reportRates(own, subject, parts.findings);
  const values = { increase: own['temp_budget_increase'] ?? undefined, expiry: own['temp_budget_expiry'] ?? undefined };
  const temporary = temporaryBudget(values, parts.now);
  if (temporary) {
    const until = new Date(temporary.until).toISOString();
    parts.findings.add('member_increase_left_out', subject, { increase: temporary.increase, until });
  }
  const maxConcurrency = countOf(own['max_parallel_requests']);
  return {
    limits,
    models: parts.models(textsIn(own['allowed_models']), subject),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  };
}

function organisationRoles({ source }: OwnerParts): ReadonlyMap<string, PlannedUser['organisations']> {
  const known = new Set(source.tables.organisations.map((row) => row['organization_id']));
  const roles = source.tables.organisationMembers.flatMap((row) => {
    const organisation = row['organization_id'] ?? '';
    const role = organisationRole(row['user_role']);
    return role && known.has(organisation) ? [{ user: row['user_id'] ?? '', organisation, role }] : [];
  });
  const byUser = Map.groupBy(roles, ({ user }) => user);
  return new Map(
    [...byUser].map(([user, all]) => [user, all.map(({ organisation, role }) => ({ organisation, role }))]),
  );
}

/** Ordinary members of an organisation have no rights in its other teams. */
function organisationRole(role: string | null | undefined): 'owner' | 'viewer' | undefined {
  if (role === 'org_admin' || role === 'proxy_admin') return 'owner';
  return role === 'internal_user_viewer' || role === 'internal_viewer' ? 'viewer' : undefined;
}
