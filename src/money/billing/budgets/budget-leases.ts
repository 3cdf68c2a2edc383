import type { Nano } from '../../../core/money.ts';
import { type FieldValue, type Job, type JobStatement, jsonText, statementsFor } from '../../../platform/store/job.ts';
import type { Row, Steps } from '../../../platform/store/job.ts';
import { change, deletion, insertion, selection } from '../../../platform/store/row-statements.ts';
import { lockedBalances, money, ownProcess } from '../ledger/ledger-statements.ts';
import { leaseChange, type LeaseOutcome, type LeaseRequest, type StoredLeases } from '../wallet/leases.ts';
import { type Budget, budgetNamed, termsName } from './budget.ts';
import { openSpend, spendRows, type SubjectSpend, subjectSpend, sumStatement } from './budget-spend.ts';
import { limitsOfSubject, thresholdEvents } from './limit-events.ts';
import { eventStatements } from '../../../platform/outbox/record-event.ts';

interface BudgetLeaseOrder {
  /** Now. */
  readonly at: number;
  readonly processId: string;
  /** Written by `budgetName`. */
  readonly budget: string;
  readonly wish: LeaseRequest;
}

/**
 * Leases part of a budget, or returns it. Every transaction that changes the leases or the spend of a budget locks the
 * row of its account, or of its organisation. The leases of all processes and the charges together therefore never
 * exceed the limit.
 */
export const adjustBudgetLease: Job<BudgetLeaseOrder, LeaseOutcome | undefined> = {
  module: import.meta.url,
  name: 'adjustBudgetLease',
  *steps({ at, processId, budget: name, wish }): Steps<LeaseOutcome | undefined> {
    const budget = budgetNamed(name);
    const { scope, subjectId, accountId } = budget;
    const names = { processes: [processId], accounts: [accountId], organisations: [subjectId] };
    const parameter = jsonText({ ...names, scopes: [scope], subjects: [subjectId] });
    const lock = scope === 'organisation' ? lockedOrganisations : lockedBalances;
    const reads = [ownProcess, lock, leasesOfSubject, subjectSpend].map((statement) => ({ statement, parameter }));
    const [registered = [], , leaseRows = [], stored = []] = yield reads;
    if (registered.length === 0) return { last: [], result: undefined };
    const { spent, opening } = yield* spentOf(budget, spendRows(stored), at);
    const leases = sumLeases(leaseRows, budget, { processId, name });
    const { change: by, outcome } = leaseChange(wish, leases, budget.limit - spent - leases.own - leases.elsewhere);
    const changed = by === 0n ? [] : leaseStatements(budget, [processId, name], leases.own + by);
    return { last: [...opening, ...changed], result: outcome };
  },
};

/** Locks organisations. A transaction that also locks balances does so first. */
export const lockedOrganisations = selection(
  'locked organisations',
  'select id from organisations where id in @organisations order by id',
  'for update',
);

/** The spend of the budget. If the store does not have it yet, it is summed from the charges once. */
function* spentOf(
  budget: Budget,
  rows: readonly SubjectSpend[],
  at: number,
): Generator<readonly JobStatement[], SpendSoFar, Rows> {
  const known = rows.find(({ since, until }) => since === budget.since && until === budget.until);
  if (known) return { spent: known.spent, opening: [] };
  const { scope, subjectId, accountId } = budget;
  const parameter = jsonText({ scopes: [scope], subjects: [subjectId], accounts: [accountId] });
  const [sums = [], terms = []] = yield [sumStatement(budget), { statement: limitsOfSubject, parameter }];
  const spent = money(sums[0]?.['spent']);
  const events = terms.flatMap((row) => thresholdEvents({ ...budget, before: 0n, spent, terms: row }, at));
  return { spent, opening: [...openSpend(budget, spent, rows), ...eventStatements(events)] };
}

type Rows = readonly (readonly Row[])[];

interface SpendSoFar {
  readonly spent: Nano;
  /** Writes the spend if it was not stored. */
  readonly opening: readonly JobStatement[];
}

/** Ignores leases of unregistered processes: no process would return them. */
export const leasesOfSubject = selection(
  'budget leases of a subject',
  `select process_id, budget, scope, subject_id, period, since, cast(limit_amount as text) as limit_amount,
  cast(amount as text) as amount from budget_leases
  where scope in @scopes and subject_id in @subjects and process_id in (select id from processes)`,
);

/**
 * Counts the leases of other processes within this span. If a lease was made under earlier terms, with another period,
 * the span of its charge is unknown, so it counts too. Leases of the other limits of the subject do not: their requests
 * also have a lease of this budget.
 */
function sumLeases(rows: readonly Row[], budget: Budget, own: { processId: string; name: string }): StoredLeases {
  const sums = { own: 0n, elsewhere: 0n };
  for (const row of rows) {
    const since = Number(row['since']);
    if (budget.besides.includes(termsName(money(row['limit_amount']), String(row['period'])))) continue;
    const isOwn = row['process_id'] === own.processId && row['budget'] === own.name;
    const isInSpan = since >= budget.since && since < budget.until;
    if (isOwn) sums.own += money(row['amount']);
    else if (isInSpan || row['period'] !== budget.period) sums.elsewhere += money(row['amount']);
  }
  return sums;
}

function leaseStatements(
  { scope, subjectId, period, since, limit }: Budget,
  names: readonly string[],
  amount: Nano,
): readonly JobStatement[] {
  if (amount === 0n) return statementsFor(deleteLeases, [names]);
  return statementsFor(upsertLeases, [[...names, scope, subjectId, period, since, String(limit), String(amount)]]);
}

const leaseKeys = { process_id: 'text', budget: 'text' } as const;
const upsertLeases = insertion(
  'budget_leases',
  {
    ...leaseKeys,
    scope: 'text',
    subject_id: 'text',
    period: 'text',
    since: 'bigint',
    limit_amount: 'bigint',
    amount: 'bigint',
  },
  { onConflict: '(process_id, budget) do update set amount = excluded.amount' },
);
const deleteLeases = deletion('budget_leases', leaseKeys);
const changeLeases = change('budget_leases', leaseKeys, { amount: 'bigint' });

export interface BudgetLease {
  readonly processId: string;
  readonly budget: string;
  amount: Nano;
}

/** Reads leases of budgets. Run it after their accounts and organisations are locked. */
export const budgetLeasesOf = selection(
  'budget leases',
  `select process_id, budget, cast(amount as text) as amount from budget_leases
  where process_id in @processes and budget in @budgets`,
);

export function budgetLeasesIn(rows: readonly Row[]): readonly BudgetLease[] {
  return rows.map((row) => ({
    processId: String(row['process_id']),
    budget: String(row['budget']),
    amount: money(row['amount']),
  }));
}

/** Writes the remaining leases and deletes empty ones. */
export function budgetLeaseStatements(leases: Iterable<BudgetLease>): readonly JobStatement[] {
  const [left, used] = [new Array<readonly FieldValue[]>(), new Array<readonly FieldValue[]>()];
  for (const { processId, budget, amount } of leases) {
    if (amount === 0n) used.push([processId, budget]);
    else left.push([processId, budget, String(amount)]);
  }
  return [...statementsFor(changeLeases, left), ...statementsFor(deleteLeases, used)];
}
