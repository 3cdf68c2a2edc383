import type { ConstraintName, ConstraintOutcome } from '../core/guarantee.ts';
import { type JobStatement, asks } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { MeasuredConstraint } from './measured.ts';

/** How often a promise ended each way in the answers of a model. Every answer it was watched over in is in exactly one. */
export type ConstraintSums = Readonly<Record<ConstraintOutcome, number>>;

/** Days of UTC: fine enough to see a model change, and so few that they cost nothing. */
export const dayMs = 86_400_000;

/** The ways a promise can end, in the order of their columns. */
export const outcomes = ['kept', 'mended', 'asked_again', 'missed'] as const satisfies readonly ConstraintOutcome[];

/** What a request says of its promises. */
interface DayCount {
  readonly startedAt: number;
  readonly promises?: readonly MeasuredConstraint[] | undefined;
}

/** Adds promises to what the days of their models have already. Requests that were promised nothing cost nothing here. */
export function addPromises(records: readonly DayCount[]): readonly JobStatement[] {
  return asks(
    additionToDays,
    daysOf(records).map(({ model, promise, day, sums }) => [
      model,
      promise,
      day,
      ...outcomes.map((name) => sums[name]),
    ]),
  );
}

const additionToDays = addition('model_promises', { model: 'text', promise: 'text', day: 'bigint' }, outcomes);

interface DaySums {
  readonly model: string;
  readonly promise: ConstraintName;
  readonly day: number;
  readonly sums: ConstraintSums;
}

/** By model, promise and day. In a fixed order, so that two processes never lock each other out. */
function daysOf(records: readonly DayCount[]): readonly DaySums[] {
  const days = new Map<string, DaySums>();
  for (const { startedAt, promises = [] } of records) {
    for (const { model, promise, outcome } of promises) {
      const day = dayOf(startedAt);
      const name = `${model}\0${promise}\0${day}`;
      const before = days.get(name)?.sums;
      const sums = sumsWith((each) => (before?.[each] ?? 0) + (each === outcome ? 1 : 0));
      days.set(name, { model, promise, day, sums });
    }
  }
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, day]) => day);
}

/** Sums made by asking for each. */
export function sumsWith(count: (outcome: ConstraintOutcome) => number): ConstraintSums {
  return { kept: count('kept'), mended: count('mended'), asked_again: count('asked_again'), missed: count('missed') };
}

/** The day that a moment belongs to, by its beginning. */
export function dayOf(at: number): number {
  return at - (at % dayMs);
}
