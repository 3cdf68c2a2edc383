import type { CheckOutcome } from './outcome.ts';

/** The result of a run. */
export interface Scorecard {
  readonly baseUrl: string;
  /** The model that most checks use; `undefined` if the catalog is empty. */
  readonly model: string | undefined;
  readonly groups: readonly GroupScore[];
}

export interface GroupScore {
  readonly name: string;
  readonly title: string;
  readonly checks: readonly CheckScore[];
}

export interface CheckScore {
  readonly id: string;
  readonly title: string;
  readonly outcome: CheckOutcome;
}

export interface ScoreTotals {
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

export function totalsOf(groups: readonly GroupScore[]): ScoreTotals {
  const outcomes = groups.flatMap((group) => group.checks.map((check) => check.outcome.kind));
  const count = (kind: CheckOutcome['kind']) => outcomes.filter((outcome) => outcome === kind).length;
  return { pass: count('pass'), fail: count('fail'), skip: count('skip') };
}

export function failuresOf(scorecard: Scorecard): readonly CheckScore[] {
  return scorecard.groups.flatMap((group) => group.checks).filter((check) => check.outcome.kind === 'fail');
}

/** The document `--json` prints. */
export function scorecardJson(scorecard: Scorecard): unknown {
  const { pass, fail, skip } = totalsOf(scorecard.groups);
  return {
    base_url: scorecard.baseUrl,
    model: scorecard.model ?? null,
    passed: pass,
    failed: fail,
    skipped: skip,
    groups: scorecard.groups.map(({ name, title, checks }) => ({
      name,
      title,
      checks: checks.map(({ id, title: sentence, outcome: { kind, ...rest } }) => ({
        id,
        title: sentence,
        outcome: kind,
        ...rest,
      })),
    })),
  };
}
