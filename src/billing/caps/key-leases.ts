import { hourMs } from '../../core/time/calendar-day.ts';
import type { Nano } from '../../core/money.ts';
import {
  type JobStatement,
  statementsFor,
  type FieldValue,
  type Job,
  jsonText,
  type Row,
  type SqlStatement,
  type Steps,
} from '../../store/job.ts';
import { change, deletion, insertion, selection } from '../../store/row-statements.ts';
import { budgetNamed, type KeyBudget } from './key-budget.ts';
import { leaseChange, type LeaseOutcome, type LeaseRequest, type StoredLeases } from '../wallet/leases.ts';
import { lockedBalances, money, ownProcess } from '../ledger/ledger-statements.ts';

interface KeyLeaseOrder {
  readonly processId: string;
  /** Written by `budgetName`. */
  readonly budget: string;
  readonly wish: LeaseRequest;
}

/**
 * Leases part of a key's budget, or returns it. Every transaction that changes a key's leases or spend locks the row of
 * its account. The leases of all processes and the charges together therefore never exceed the cap.
 */
export const adjustingKeyLease: Job<KeyLeaseOrder, LeaseOutcome | undefined> = {
  module: import.meta.url,
  name: 'adjustingKeyLease',
  *steps({ processId, budget: name, wish }): Steps<LeaseOutcome | undefined> {
    const budget = budgetNamed(name);
    const [processes, accounts, firsts] = [[processId], [budget.accountId], [budget.firstKeyId]];
    const parameter = jsonText({ processes, accounts, firsts });
    const reads = [ownProcess, lockedBalances, keysOfOne, leasesOfOne].map((statement) => ({ statement, parameter }));
    const [registered = [], , keyRows = [], leaseRows = []] = yield reads;
    if (registered.length === 0) return { last: [], result: undefined };
    const keys = [...new Set([budget.keyId, ...keyRows.map(({ id }) => String(id))])];
    const [spentRows = []] = yield [spentStatement(budget, keys)];
    const spent = money(spentRows[0]?.['spent']);
    const stored = sumLeases(leaseRows, budget, { processId, name });
    const { change: by, outcome } = leaseChange(wish, stored, budget.cap - spent - stored.own - stored.elsewhere);
    const amount = stored.own + by;
    return { last: by === 0n ? [] : leaseStatements(budget, [processId, name], amount), result: outcome };
  },
};

/** A key and the keys that replaced it. */
const keysOfOne = selection('keys of one', 'select id from api_keys where first_id in @firsts');

/** Ignores leases of unregistered processes: no process would return them. */
const leasesOfOne = selection(
  'key leases of one',
  `select process_id, budget, period, since, cast(amount as text) as amount from key_leases
  where first_id in @firsts and process_id in (select id from processes)`,
);

/**
 * Counts the leases of other processes within this span. If a lease was made under another period, the span of its
 * charge is unknown, so it counts too.
 */
function sumLeases(rows: readonly Row[], budget: KeyBudget, own: { processId: string; name: string }): StoredLeases {
  const sums = { own: 0n, elsewhere: 0n };
  for (const row of rows) {
    const since = Number(row['since']);
    const isOwn = row['process_id'] === own.processId && row['budget'] === own.name;
    const isInSpan = since >= budget.since && (budget.until === undefined || since < budget.until);
    if (isOwn) sums.own += money(row['amount']);
    else if (isInSpan || row['period'] !== budget.period) sums.elsewhere += money(row['amount']);
  }
  return sums;
}

function leaseStatements(
  { firstKeyId, period, since }: KeyBudget,
  names: readonly string[],
  amount: Nano,
): readonly JobStatement[] {
  if (amount === 0n) return statementsFor(deleteKeyLeases, [names]);
  return statementsFor(upsertKeyLeases, [[...names, firstKeyId, period, since, String(amount)]]);
}

const leaseKeys = { process_id: 'text', budget: 'text' } as const;
const upsertKeyLeases = insertion(
  'key_leases',
  { ...leaseKeys, first_id: 'text', period: 'text', since: 'bigint', amount: 'bigint' },
  { onConflict: '(process_id, budget) do update set amount = excluded.amount' },
);
const deleteKeyLeases = deletion('key_leases', leaseKeys);
const changeKeyLeases = change('key_leases', leaseKeys, { amount: 'bigint' });

export interface KeyLease {
  readonly processId: string;
  readonly budget: string;
  amount: Nano;
}

/** Reads key leases. Run it after the balances of their accounts are locked. */
export const keyLeasesOf = selection(
  'key leases',
  `select process_id, budget, cast(amount as text) as amount from key_leases
  where process_id in @processes and budget in @budgets`,
);

export function keyLeasesIn(rows: readonly Row[]): readonly KeyLease[] {
  return rows.map((row) => ({
    processId: String(row['process_id']),
    budget: String(row['budget']),
    amount: money(row['amount']),
  }));
}

/** Writes the remaining leases and deletes empty ones. */
export function keyLeaseStatements(leases: Iterable<KeyLease>): readonly JobStatement[] {
  const [left, used] = [new Array<readonly FieldValue[]>(), new Array<readonly FieldValue[]>()];
  for (const { processId, budget, amount } of leases) {
    if (amount === 0n) used.push([processId, budget]);
    else left.push([processId, budget, String(amount)]);
  }
  return [...statementsFor(changeKeyLeases, left), ...statementsFor(deleteKeyLeases, used)];
}

function spentStatement({ accountId, since, until }: KeyBudget, keys: readonly string[]): JobStatement {
  if (until === undefined) return { statement: everSpent, parameter: jsonText({ keys }) };
  const [firstHour, endHour] = [Math.ceil(since / hourMs) * hourMs, Math.floor(until / hourMs) * hourMs];
  return { statement: spentBetween, parameter: jsonText({ keys, accountId, since, firstHour, endHour, until }) };
}

const everSpent = selection(
  'ever spent by keys',
  'select cast(coalesce(sum(spent), 0) as text) as spent from key_spend where key_id in @keys',
);

/**
 * Whole hours are read from the hourly sums. If the span begins or ends within an hour, that part is summed from its
 * charges.
 */
const spentBetween: SqlStatement = {
  name: 'spent by keys between',
  sqlite: spentText(
    "in (select value from json_each(?1, '$.keys'))",
    (field) => `json_extract(?1, '$.${field}')`,
    (field) => `json_extract(?1, '$.${field}')`,
  ),
  postgres: spentText(
    "= any (array(select jsonb_array_elements_text(cast($1 as jsonb) -> 'keys')))",
    (field) => `cast(cast($1 as jsonb) ->> '${field}' as bigint)`,
    (field) => `(cast($1 as jsonb) ->> '${field}')`,
  ),
};

function spentText(isKey: string, at: (field: string) => string, text: (field: string) => string): string {
  const charges = (from: string, to: string) => `coalesce((select sum(amount) from transfers
    where account_id = ${text('accountId')} and at >= ${at(from)} and at < ${at(to)}
    and key_id ${isKey} and kind in ('charge', 'charge-rest')), 0)`;
  return `select cast(coalesce((select sum(amount) from spend_hours where key_id ${isKey}
    and hour >= ${at('firstHour')} and hour < ${at('endHour')}), 0)
    - ${charges('since', 'firstHour')} - ${charges('endHour', 'until')} as text) as spent`;
}
