import type { LimitScope } from '../../../core/limit.ts';
import type { Nano } from '../../../core/money.ts';
import { dayMs, hourMs } from '../../../core/time/calendar-day.ts';
import {
  type JobStatement,
  jsonText,
  type Row,
  type SqlStatement,
  statementsFor,
} from '../../../platform/store/job.ts';
import { change, deletion, insertion, selection } from '../../../platform/store/row-statements.ts';
import type { TransferRow } from '../ledger/book.ts';
import { money } from '../ledger/ledger-statements.ts';
import type { Budget } from './budget.ts';

/** How long the spend of a span is kept after its end, for requests that began in it. */
const keptMs = 40 * dayMs;

/** The spend of a limit in one span. */
export interface SubjectSpend {
  readonly scope: LimitScope;
  readonly subjectId: string;
  readonly since: number;
  readonly until: number;
  spent: Nano;
}

export const subjectSpend = selection(
  'spend of a subject',
  `select scope, subject_id, since, until, cast(spent as text) as spent from budget_spend
  where scope in @scopes and subject_id in @subjects`,
);

export function spendRows(rows: readonly Row[]): readonly SubjectSpend[] {
  return rows.map((row) => ({
    scope: row['scope'] as LimitScope,
    subjectId: String(row['subject_id']),
    since: Number(row['since']),
    until: Number(row['until']),
    spent: money(row['spent']),
  }));
}

/** Stores the spend of a budget, which later charges add to. Deletes rows of spans that ended long ago. */
export function openSpend(
  { scope, subjectId, since, until }: Budget,
  spent: Nano,
  others: readonly SubjectSpend[],
): readonly JobStatement[] {
  const old = others.filter((row) => row.until + keptMs < since).map(keyOf);
  const row = [...keyOf({ scope, subjectId, since, until }), String(spent)];
  return [...statementsFor(insertSpend, [row]), ...statementsFor(deleteSpend, old)];
}

function keyOf({ scope, subjectId, since, until }: Omit<SubjectSpend, 'spent'>) {
  return [scope, subjectId, since, until] as const;
}

const spendKeys = { scope: 'text', subject_id: 'text', since: 'bigint', until: 'bigint' } as const;
const insertSpend = insertion(
  'budget_spend',
  { ...spendKeys, spent: 'bigint' },
  { onConflict: '(scope, subject_id, since, until) do nothing' },
);
const deleteSpend = deletion('budget_spend', spendKeys);
const changeSpend = change('budget_spend', spendKeys, { spent: 'bigint' });

/** A stored spend, and the charges that count for it: those of one key, or of all keys of an account. */
export interface ChargedSpend extends SubjectSpend {
  readonly accountId: string;
  readonly keyId: string | undefined;
  /** The columns of `limitsOfSubject`. */
  readonly terms: Row;
}

/**
 * The stored spend that charges of these accounts and keys may add to, with the limits of its subject. Run it after
 * the accounts and organisations are locked. Organisations without limits are not locked, and have no current spend.
 */
export const chargedSpend = selection(
  'charged spend',
  `select api_keys.account_id, api_keys.id as key_id, budget_spend.scope, subject_id, since, until,
    cast(spent as text) as spent, cast(null as text) as limits, cast(null as text) as time_zone,
    cast(null as text) as kept_spans, api_keys.name
  from api_keys join budget_spend on scope = 'key' and subject_id = api_keys.first_id
  where api_keys.id in @keys
  union all
  select api_keys.account_id, api_keys.id, budget_spend.scope, subject_id, since, until,
    cast(spent as text), console_members.limits, accounts.time_zone, accounts.kept_spans, console_users.name
  from api_keys join accounts on accounts.id = api_keys.account_id
  join budget_spend on scope = 'member' and subject_id = api_keys.account_id || ' ' || api_keys.member_id
  left join console_members on console_members.account_id = api_keys.account_id
    and console_members.user_id = api_keys.member_id
  left join console_users on console_users.id = api_keys.member_id
  where api_keys.id in @keys and api_keys.member_id is not null
  union all
  select accounts.id, cast(null as text), budget_spend.scope, subject_id, since, until,
    cast(spent as text), accounts.limits, accounts.time_zone, accounts.kept_spans,
    coalesce(accounts.display_name, accounts.name)
  from accounts join budget_spend on scope = 'account' and subject_id = accounts.id
  where accounts.id in @accounts
  union all
  select accounts.id, cast(null as text), budget_spend.scope, subject_id, since, until,
    cast(spent as text), organisations.limits, organisations.time_zone, organisations.kept_spans,
    coalesce(organisations.display_name, organisations.name)
  from accounts join organisations on organisations.id = accounts.organisation_id
  join budget_spend on scope = 'organisation' and subject_id = organisations.id
  where accounts.id in @accounts and organisations.limits is not null`,
);

export function chargedSpendRows(rows: readonly Row[]): readonly ChargedSpend[] {
  const spends = spendRows(rows);
  return rows.flatMap((terms, index) => {
    const spend = spends[index];
    const keyId = terms['key_id'] === null ? undefined : String(terms['key_id']);
    return spend ? [{ ...spend, accountId: String(terms['account_id']), keyId, terms }] : [];
  });
}

/** The spend of a budget before and after some charges, and the account of the last of them. */
export interface SpendChange extends ChargedSpend {
  readonly before: Nano;
}

/** Adds charges to the spends that they count for. Returns those that changed. */
export function addCharges(spends: readonly ChargedSpend[], transfers: readonly TransferRow[]): readonly SpendChange[] {
  const changes = new Map<string, SpendChange>();
  for (const spend of spends) {
    const { accountId, keyId, since, until } = spend;
    const counted = transfers.filter(
      (row) =>
        row.account_id === accountId &&
        (keyId === undefined || row.key_id === keyId) &&
        row.at >= since &&
        row.at < until,
    );
    const amount = counted.reduce((sum, row) => sum - row.amount, 0n);
    if (amount === 0n) continue;
    // Several keys or accounts may share the spend.
    const name = keyOf(spend).join('\0');
    const known = changes.get(name) ?? { ...spend, before: spend.spent };
    changes.set(name, { ...known, spent: known.spent + amount });
  }
  return [...changes.values()];
}

export function spendStatements(changes: readonly SpendChange[]): readonly JobStatement[] {
  return statementsFor(
    changeSpend,
    changes.map((each) => [...keyOf(each), String(each.spent)]),
  );
}

/**
 * Sums the charges and the opening spend of a budget. Whole hours come from the hourly sums, the parts at both ends from
 * the charges.
 */
export function sumStatement({
  scope,
  subjectId,
  accountId,
  since,
  until,
}: Omit<Budget, 'limit' | 'period' | 'besides'>): JobStatement {
  const [firstHour, endHour] = [Math.ceil(since / hourMs) * hourMs, Math.floor(until / hourMs) * hourMs];
  const parameter = jsonText({ subjectId, accountId, since, firstHour, endHour, until });
  return { statement: sums[scope], parameter };
}

/** The conditions on charges that count for a subject. */
const counted: Readonly<Record<LimitScope, (text: (field: string) => string) => string>> = {
  key: (text) =>
    `account_id = ${text('accountId')} and key_id in (select id from api_keys where first_id = ${text('subjectId')})`,
  member: (text) => `account_id = ${text('accountId')} and key_id in (select id from api_keys
    where account_id = ${text('accountId')} and account_id || ' ' || member_id = ${text('subjectId')})`,
  account: (text) => `account_id = ${text('subjectId')}`,
  organisation: (text) => `account_id in (select id from accounts where organisation_id = ${text('subjectId')})`,
};

const sums: Readonly<Record<LimitScope, SqlStatement>> = {
  key: sumOf('key'),
  member: sumOf('member'),
  account: sumOf('account'),
  organisation: sumOf('organisation'),
};

function sumOf(scope: LimitScope): SqlStatement {
  const onSqlite = (field: string) => `json_extract(?1, '$.${field}')`;
  const onPostgres = (field: string) => `(cast($1 as jsonb) ->> '${field}')`;
  return {
    name: `sum of ${scope} charges`,
    sqlite: sumText(counted[scope](onSqlite), onSqlite),
    postgres: sumText(counted[scope](onPostgres), (field) => `cast(${onPostgres(field)} as bigint)`),
  };
}

function sumText(isCounted: string, at: (field: string) => string): string {
  const transferred = (kinds: string, from: string, to: string) => `coalesce((select sum(amount) from transfers
    where ${isCounted} and at >= ${at(from)} and at < ${at(to)} and kind ${kinds}), 0)`;
  const charges = "in ('charge', 'charge-rest')";
  // The first condition is that of the index of the few transfers that are no charges.
  const opening = "not in ('charge', 'charge-rest') and kind = 'opening-spend'";
  return `select cast(coalesce((select sum(amount) from spend_hours where ${isCounted}
    and hour >= ${at('firstHour')} and hour < ${at('endHour')}), 0)
    - ${transferred(charges, 'since', 'firstHour')} - ${transferred(charges, 'endHour', 'until')}
    - ${transferred(opening, 'since', 'until')} as text) as spent`;
}
