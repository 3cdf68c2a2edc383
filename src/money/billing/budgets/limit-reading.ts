import type { SpendLimit } from '../../../core/caller.ts';
import type { Limit, LimitPeriod, LimitScope } from '../../../core/limit.ts';
import type { Nano } from '../../../core/money.ts';
import type { RenewalZone } from '../../../core/time/cap-period.ts';
import { type Job, jsonText, type Steps } from '../../../platform/store/job.ts';
import type { Store } from '../../../platform/store/store.ts';
import { money } from '../ledger/ledger-statements.ts';
import { allTime, type Budget, budgetName, budgetNamed, budgetsOfLimits } from './budget.ts';
import { leasesOfSubject } from './budget-leases.ts';
import { spendRows, subjectSpend, sumStatement } from './budget-spend.ts';

/** A key, member, account or organisation with limits. */
export interface LimitedSubject extends RenewalZone {
  readonly scope: LimitScope;
  /** The first key of a chain, a `memberSubject`, an account or an organisation. */
  readonly subjectId: string;
  /** The account of the key or member; empty for an organisation. */
  readonly accountId: string;
  readonly limits: readonly Limit[];
}

/** A limit in its current period. */
export interface LimitReading {
  readonly limit: Nano;
  readonly period: LimitPeriod;
  readonly notifyAt: readonly string[];
  readonly spent: Nano;
  /** Leased by processes for running and future requests. */
  readonly reserved: Nano;
  /** The rest. Never negative. */
  readonly free: Nano;
  /** `undefined`: never. */
  readonly resetsAt: number | undefined;
}

/** Reads the limits of some subjects at a time, in the order given. */
export async function readLimits(
  store: Pick<Store, 'commit'>,
  subjects: readonly LimitedSubject[],
  now: number,
): Promise<readonly (readonly LimitReading[])[]> {
  const budgetsOf = budgetsOfLimits();
  const named = subjects.map(({ scope, subjectId, accountId, timeZone, keptSpans, limits }) => {
    const terms = limits.map(({ amount, period }) => {
      return { scope, subjectId, amount, renewal: period === 'total' ? undefined : { period, timeZone, keptSpans } };
    });
    return budgetsOf(accountId, terms, now).map((budget, index) => ({ limit: limits[index], budget }));
  });
  const names = named.flat().map(({ budget }) => budgetName(budget));
  if (names.length === 0) return subjects.map(() => []);
  const figures = await store.commit(readBudgets, names);
  return named.map((each) =>
    each.flatMap(({ limit, budget }) => (limit ? [readingOf(limit, budget, figures.get(budgetName(budget)))] : [])),
  );
}

/** Whether none of the limits of a request from this account is spent. */
export async function isWithinLimits(
  store: Pick<Store, 'commit'>,
  { accountId, limits }: { readonly accountId: string; readonly limits: readonly SpendLimit[] },
  now: number,
): Promise<boolean> {
  const budgets = budgetsOfLimits()(accountId, limits, now);
  const figures = await store.commit(readBudgets, budgets.map(budgetName));
  return budgets.every((budget) => (figures.get(budgetName(budget)) ?? noFigures).spent < budget.limit);
}

interface BudgetFigures {
  readonly spent: Nano;
  readonly reserved: Nano;
}

const noFigures: BudgetFigures = { spent: 0n, reserved: 0n };

function readingOf(
  { amount, period, notifyAt }: Limit,
  { until }: Budget,
  { spent, reserved } = noFigures,
): LimitReading {
  const left = amount - spent - reserved;
  const resetsAt = until === allTime.until ? undefined : until;
  return { limit: amount, period, notifyAt, spent, reserved, free: left > 0n ? left : 0n, resetsAt };
}

/** The spend and leases of budgets, by name. */
export const readBudgets: Job<readonly string[], ReadonlyMap<string, BudgetFigures>> = {
  module: import.meta.url,
  name: 'readBudgets',
  *steps(names): Steps<ReadonlyMap<string, BudgetFigures>> {
    const budgets = names.map((name) => ({ name, ...budgetNamed(name) }));
    const each = (of: 'scope' | 'subjectId') => [...new Set(budgets.map((budget) => budget[of]))];
    const parameter = jsonText({ scopes: each('scope'), subjects: each('subjectId') });
    const [spends = [], leases = []] = yield [subjectSpend, leasesOfSubject].map((statement) => ({
      statement,
      parameter,
    }));
    const stored = new Map(spendRows(spends).map((row) => [spanName(row), row.spent]));
    const unknown = budgets.filter((budget) => !stored.has(spanName(budget)));
    const sums = unknown.length === 0 ? [] : yield unknown.map(sumStatement);
    for (const [index, budget] of unknown.entries()) stored.set(spanName(budget), money(sums[index]?.[0]?.['spent']));
    const figures = budgets.map((budget) => {
      const reserved = leases
        .filter((row) => row['scope'] === budget.scope && row['subject_id'] === budget.subjectId)
        .filter((row) => row['period'] === budget.period && row['limit_amount'] === String(budget.limit))
        .filter((row) => Number(row['since']) >= budget.since && Number(row['since']) < budget.until)
        .reduce((sum, row) => sum + money(row['amount']), 0n);
      return [budget.name, { spent: stored.get(spanName(budget)) ?? 0n, reserved }] as const;
    });
    return { last: [], result: new Map(figures) };
  },
};

function spanName({ scope, subjectId, since, until }: Pick<Budget, 'scope' | 'subjectId' | 'since' | 'until'>): string {
  return [scope, subjectId, since, until].join('\0');
}
