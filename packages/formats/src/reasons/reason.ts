import type { ErrorCase } from '../error-table.ts';
import { refusals } from './refusals.ts';
import { rules } from './rules.ts';
import { fillIn, type TextArguments, type Params } from './text.ts';

export type RefusalCode = keyof typeof refusals;
export type RuleCode = keyof typeof rules;

/** The reason of a refusal, for programs: a stable code and its parameters. */
export interface Reason {
  readonly code: RefusalCode;
  readonly params: Params;
}

export function reason<Code extends RefusalCode>(
  code: Code,
  ...[params]: TextArguments<(typeof refusals)[Code]>
): Reason {
  return { code, params: params ?? {} };
}

/** The codes of refusals without parameters. */
export type Unparameterised = {
  [Code in RefusalCode]: TextArguments<(typeof refusals)[Code]> extends [] ? Code : never;
}[RefusalCode];

export function englishOf({ code, params }: Reason): string {
  return fillIn(refusals[code][0], params);
}

/** The rule that a value breaks. `message` is its English text, which continues the name of the field. */
export interface BrokenRule {
  readonly reason: RuleCode;
  readonly params: Params;
  readonly message: string;
}

export function broken<Code extends RuleCode>(
  code: Code,
  ...[params]: TextArguments<(typeof rules)[Code]>
): BrokenRule {
  return { reason: code, params: params ?? {}, message: fillIn(rules[code][0], params ?? {}) };
}

/** A field of a request that breaks a rule. */
export interface FieldProblem extends BrokenRule {
  /** Such as `routes[0].weight`; empty for the body as a whole. */
  readonly field: string;
  /** The next step for the user, in English. */
  readonly fix?: string;
  /** The entry of a batch that the field belongs to. */
  readonly entry?: string;
}

/** The reason of an error without a more precise one: its case in the error table. */
export function reasonOfCase(errorCase: ErrorCase): string {
  return errorCase.replaceAll('-', '_');
}
