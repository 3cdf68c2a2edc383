import { decimalText } from 'chat-gateway-figures/money.ts';
import type { FindingList } from '../findings.ts';
import { itemNames, shownName } from '../item-name.ts';
import type { ForeignPassword, PlannedAccount, PlannedUser } from '../plan.ts';
import { Secret } from '../secret.ts';
import type { Row } from '../table-reader.ts';
import { groupOf, type Groups } from './groups.ts';
import type { QuotaReader } from './quota.ts';
import { isOn, type OneApiSource, wholeOf } from './source.ts';
import { subscriptionBalance } from './subscriptions.ts';

interface People {
  readonly accounts: readonly PlannedAccount[];
  readonly users: readonly PlannedUser[];
  /** The source id of the person of a user; `undefined` without an e-mail address. */
  readonly personOf: (userId: string) => string | undefined;
}

/** Every user becomes an account; users with an e-mail address also become people. */
export function planPeople(source: OneApiSource, groups: Groups, money: QuotaReader, findings: FindingList): People {
  const named = itemNames();
  const accounts = source.users.map((row) => plannedAccount(row, groups, named, { source, money, findings }));
  const byEmail = new Map<string, Row[]>();
  for (const row of source.users) {
    const email = emailOf(row);
    if (email === undefined) findings.add('email_missing', { kind: 'user', sourceId: row['id'] ?? '' });
    else byEmail.set(email, [...(byEmail.get(email) ?? []), row]);
  }
  const users = [...byEmail].map(([email, rows]) => plannedUser(email, rows, findings));
  const persons = new Map(
    [...byEmail.values()].flatMap((rows) => rows.map((row) => [row['id'], rows[0]?.['id']] as const)),
  );
  reportLost(source, money, findings);
  return { accounts, users, personOf: (userId) => persons.get(userId) ?? undefined };
}

function plannedAccount(
  row: Row,
  groups: Groups,
  named: ReturnType<typeof itemNames>,
  parts: Parameters<typeof subscriptionBalance>[1],
): PlannedAccount {
  const { money, findings } = parts;
  const sourceId = row['id'] ?? '';
  const subject = { kind: 'account', sourceId } as const;
  const username = row['username'] ?? '';
  const name = named(username, `user-${sourceId}`);
  if (name !== username) findings.add('name_replaced', subject, { name: username, used: name });
  const balance = money(row['quota'], 'quota', subject) + subscriptionBalance(row, parts);
  if (balance < 0n) findings.add('quota_negative', subject, { amount: decimalText(balance) });
  return {
    sourceId,
    name,
    displayName: shownName(row['display_name']),
    packageName: groups.packageName(groupOf(row['group'])),
    billing: 'prepaid',
    status: isOn(row) ? 'active' : 'suspended',
    limits: [],
    balance,
  };
}

function plannedUser(email: string, rows: readonly Row[], findings: FindingList): PlannedUser {
  const [first = {}, ...others] = rows;
  const sourceId = first['id'] ?? '';
  const subject = { kind: 'user', sourceId } as const;
  for (const other of others) {
    findings.add('email_shared', { kind: 'user', sourceId: other['id'] ?? '' }, { first: sourceId });
  }
  const role = Math.max(...rows.map((row) => Number(row['role'] ?? 1)));
  if (role >= 10) findings.add('operator_proposed', subject, { role: role >= 100 ? 'root' : 'admin' });
  const password = passwordOf(first['password']);
  if (!password) findings.add('password_unknown', subject);
  return {
    sourceId,
    email,
    displayName: shownName(first['display_name']),
    password,
    memberships: rows.map((row) => ({ account: row['id'] ?? '', role: 'owner', limits: [] })),
    organisations: [],
  };
}

function passwordOf(cell: string | null | undefined): ForeignPassword | undefined {
  return /^\$2[aby]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(cell ?? '')
    ? { form: 'bcrypt', hash: new Secret(cell ?? '') }
    : undefined;
}

function emailOf(row: Row): string | undefined {
  const email = (row['email'] ?? '').trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? email : undefined;
}

const providers = ['github', 'discord', 'oidc', 'wechat', 'telegram', 'linux_do', 'lark'] as const;

/** What users have and the plan cannot hold, in one finding each. */
function reportLost({ users }: OneApiSource, money: QuotaReader, findings: FindingList): void {
  const has = (row: Row, column: string): boolean => (row[column] ?? '') !== '';
  const linked = users.filter((row) => providers.some((provider) => has(row, `${provider}_id`)));
  const subject = { kind: 'table', sourceId: 'users' } as const;
  if (linked.length > 0) {
    const used = providers.filter((provider) => linked.some((row) => has(row, `${provider}_id`)));
    findings.add('sign_in_lost', subject, { count: linked.length, providers: used.join(', ') });
  }
  const inviting = users.filter((row) => wholeOf(row['aff_quota']) > 0n);
  if (inviting.length > 0) {
    const total = inviting.reduce((sum, row) => sum + wholeOf(row['aff_quota']), 0n);
    const amount = decimalText(money(String(total), 'aff_quota', subject));
    findings.add('invitation_quota_lost', subject, { count: inviting.length, amount });
  }
  const tokens = users.filter((row) => has(row, 'access_token')).length;
  if (tokens > 0) findings.add('access_tokens_lost', subject, { count: tokens });
}
