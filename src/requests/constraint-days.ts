import type { ConstraintName, ConstraintOutcome } from '../core/guarantee.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { MeasuredConstraint } from './measured.ts';

/**
 * How often an enforced constraint ended with each outcome in the answers of a model. Every checked answer counts for
 * exactly one outcome.
 */
export type ConstraintSums = Readonly<Record<ConstraintOutcome, number>>;

/** A UTC day: fine enough to notice that a model changed, and few enough rows to cost nothing. */
export const dayMs = 86_400_000;

/** The column of `model_promises` that counts each outcome. */
export const outcomeColumns = {
  met: 'kept',
  repaired: 'mended',
  reprompted: 'asked_again',
  violated: 'missed',
} as const satisfies Readonly<Record<ConstraintOutcome, string>>;

const outcomes = Object.keys(outcomeColumns) as readonly ConstraintOutcome[];

/** The constraint results of a request. */
interface DayCount {
  readonly startedAt: number;
  readonly constraints?: readonly MeasuredConstraint[] | undefined;
}

/** Adds constraint results to the existing days of their models. Requests without constraints cost nothing here. */
export function addConstraints(records: readonly DayCount[]): readonly JobStatement[] {
  return statementsFor(
    additionToDays,
    daysOf(records).map(({ model, promise, day, sums }) => [
      model,
      promise,
      day,
      ...outcomes.map((name) => sums[name]),
    ]),
  );
}

const additionToDays = addition(
  'model_promises',
  { model: 'text', promise: 'text', day: 'bigint' },
  Object.values(outcomeColumns),
);

interface DaySums {
  readonly model: string;
  readonly promise: ConstraintName;
  readonly day: number;
  readonly sums: ConstraintSums;
}

/** Sums by model, constraint and day. The order is fixed, so that two processes cannot deadlock. */
function daysOf(records: readonly DayCount[]): readonly DaySums[] {
  const days = new Map<string, DaySums>();
  for (const { startedAt, constraints = [] } of records) {
    for (const { model, promise, outcome } of constraints) {
      const day = dayOf(startedAt);
      const name = `${model}\0${promise}\0${day}`;
      const before = days.get(name)?.sums;
      const sums = sumsWith((each) => (before?.[each] ?? 0) + (each === outcome ? 1 : 0));
      days.set(name, { model, promise, day, sums });
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
