import type { BrokenRule, FieldProblem } from '../core/reasons/reason.ts';

/** One thing wrong with a configuration file, where it stands, and what to do about it. Never contains a value from the environment. */
export interface Problem extends BrokenRule {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Such as `models[0].price`; empty when the file as a whole is meant. */
  readonly path: string;
  readonly fix: string;
}

/** A problem before it is known where in a file it stands; entries that never were in a file have only this. */
export interface ConfigFinding extends BrokenRule {
  readonly path: Path;
  /** The name itself is wrong, not its value. */
  readonly atName?: boolean;
  readonly fix: string;
}

export type Path = readonly (string | number)[];

/** The findings as the problems of a request. */
export function fieldProblems(findings: readonly ConfigFinding[], entry?: string): readonly FieldProblem[] {
  return findings.map(({ path, reason, params, message, fix }) => ({
    field: pathText(path),
    reason,
    params,
    message,
    fix,
    ...(entry !== undefined && { entry }),
  }));
}

export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
