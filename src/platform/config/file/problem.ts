import type { BrokenRule, FieldProblem } from 'chat-formats/reasons/reason.ts';

/** One problem of a configuration file, its position and its fix. It never contains a value from the environment. */
export interface LocatedProblem extends BrokenRule {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Such as `models[0].price`; empty for the whole file. */
  readonly path: string;
  readonly fix: string;
}

/** A problem of an entry. Entries from the API have no position in a file. */
export interface ConfigProblem extends BrokenRule {
  readonly path: Path;
  /** Set if the field's name is wrong, not its value. */
  readonly isAtName?: boolean;
  readonly fix: string;
}

export type Path = readonly (string | number)[];

export function fieldProblems(problems: readonly ConfigProblem[], entry?: string): readonly FieldProblem[] {
  return problems.map(({ path, reason, params, message, fix }) => ({
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
