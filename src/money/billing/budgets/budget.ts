import type { SpendLimit } from '../../../core/caller.ts';
import type { LimitScope } from '../../../core/limit.ts';
import { type CalendarSpan, calendarSpans, type Renewal } from '../../../core/time/cap-period.ts';
import type { Nano } from '../../../core/money.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** A limit for one span of time. */
export interface Budget {
  readonly scope: LimitScope;
  /** The keys that share it. */
  readonly subjectId: string;
  /** The account of these keys; empty for an organisation. */
  readonly accountId: string;
  readonly limit: Nano;
  /** How often it renews, and in which time zone. */
  readonly period: string;
  /** The other limits of its subject, each as amount and period: a request reserves from all of them. */
  readonly besides: readonly string[];
  readonly since: number;
  readonly until: number;
}

/** The span of a limit that never renews. */
export const allTime: CalendarSpan = { since: 0, until: 8_640_000_000_000_000 };
const neverRenews = 'total';

/** Returns a function that finds the budgets for a request that starts at `at`: one for each of its limits. */
export function budgetsOfLimits(): (accountId: string, limits: readonly SpendLimit[], at: number) => readonly Budget[] {
  const spanAt = calendarSpans();
  return (accountId, limits, at) =>
    limits.map((limit) => {
      const { scope, subjectId, amount, renewal } = limit;
      const others = limits.filter((each) => each !== limit && each.scope === scope && each.subjectId === subjectId);
      return {
        scope,
        subjectId,
        accountId: scope === 'organisation' ? '' : accountId,
        limit: amount,
        period: periodName(renewal),
        besides: others.map((each) => termsName(each.amount, periodName(each.renewal))),
        ...(renewal ? spanAt(renewal, at) : allTime),
      };
    });
}

/** Amount and period of a limit. */
export function termsName(limit: Nano, period: string): string {
  return `${limit} ${period}`;
}

function periodName(renewal: Renewal | undefined): string {
  return renewal ? `${renewal.period} ${renewal.timeZone}` : neverRenews;
}

/**
 * All fields of a budget as one string, so that a lease of another limit or another span is never mistaken for this one.
 */
export function budgetName(budget: Budget): string {
  const { scope, subjectId, accountId, limit, period, besides, since, until } = budget;
  return JSON.stringify([scope, subjectId, accountId, String(limit), period, besides, since, until]);
}

export function budgetNamed(name: string): Budget {
  const [scope, subjectId, accountId, limit, period, besides, since, until] = ownJson(name) as BudgetFields;
  return { scope, subjectId, accountId, limit: BigInt(limit), period, besides, since, until };
}

type BudgetFields = readonly [
  scope: LimitScope,
  subjectId: string,
  accountId: string,
  limit: string,
  period: string,
  besides: readonly string[],
  since: number,
  until: number,
];
