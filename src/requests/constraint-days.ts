import type { ConstraintName, ConstraintOutcome } from '../core/guarantee.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { MeasuredConstraint } from './request-measurements.ts';

/**
 * How often an enforced constraint ended with each outcome in the answers of a model. Every checked answer counts for
 * exactly one outcome.
 */
export type ConstraintSums = Readonly<Record<ConstraintOutcome, number>>;

/** A UTC day: fine enough to notice that a model changed, and few enough rows to cost nothing. */
export const dayMs = 86_400_000;

/** Each outcome has a column of this name in `constraint_results`. */
export const outcomes = ['met', 'repaired', 'reprompted', 'violated'] as const satisfies readonly ConstraintOutcome[];

/** The constraint results of a request. */
interface DayCount {
  readonly startedAt: number;
  readonly constraints?: readonly MeasuredConstraint[] | undefined;
}

/** Adds constraint results to the existing days of their models. Requests without constraints cost nothing here. */
export function addConstraints(records: readonly DayCount[]): readonly JobStatement[] {
  return statementsFor(
    additionToDays,
    daysOf(records).map(({ model, constraint, day, sums }) => [
      model,
      constraint,
      day,
      ...outcomes.map((name) => sums[name]),
    ]),
  );
}

const additionToDays = addition(
  'constraint_results',
  { model: 'text', constraint_name: 'text', day: 'bigint' },
  outcomes,
);

interface DaySums {
  readonly model: string;
  readonly constraint: ConstraintName;
  readonly day: number;
  readonly sums: ConstraintSums;
}

/** Sums by model, constraint and day. The order is fixed, so that two processes cannot deadlock. */
function daysOf(records: readonly DayCount[]): readonly DaySums[] {
  const days = new Map<string, DaySums>();
  for (const { startedAt, constraints = [] } of records) {
    for (const { model, constraint, outcome } of constraints) {
      const day = dayOf(startedAt);
      const name = `${model}\0${constraint}\0${day}`;
      const before = days.get(name)?.sums;
      const sums = sumsWith((each) => (before?.[each] ?? 0) + (each === outcome ? 1 : 0));
      days.set(name, { model, constraint, day, sums });
    }
  }
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, day]) => day);
}

/** Builds sums from a count for each outcome. */
export function sumsWith(count: (outcome: ConstraintOutcome) => number): ConstraintSums {
  return {
    met: count('met'),
    repaired: count('repaired'),
    reprompted: count('reprompted'),
    violated: count('violated'),
  };
}

/** Start of the UTC day of a time. */
export function dayOf(at: number): number {
  return at - (at % dayMs);
}
