import type { z } from 'zod';
import { broken, type BrokenRule, type RuleCode } from 'chat-formats/reasons/reason.ts';
import type { rules } from 'chat-formats/reasons/rules.ts';
import type { TextArguments } from 'chat-formats/reasons/text.ts';

type RawIssue = z.core.$ZodRawIssue & { params?: Record<string, unknown> };

/** The error of a check: `z.string().regex(…, breaks('not_a_name'))`. The issue contains the rule and its English text. */
export function breaks<Code extends RuleCode>(code: Code, ...given: TextArguments<(typeof rules)[Code]>) {
  return { error: (issue: RawIssue): string => noted(issue, broken(code, ...given)) };
}

export function ruleOf(issue: z.core.$ZodIssue): BrokenRule {
  const { params } = issue as { readonly params?: { readonly rule?: BrokenRule } };
  return params?.rule ?? broken('wrong_form');
}

/** The rule of an issue whose check names none. */
export const wording: z.core.$ZodErrorMap = (issue) => noted(issue, usual(issue));

/** Zod calls this function for the message and copies the issue afterwards, so the rule is in the final issue. */
function noted(issue: RawIssue, rule: BrokenRule): string {
  issue.params = { ...issue.params, rule };
  return rule.message;
}

function usual(issue: z.core.$ZodRawIssue): BrokenRule {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? broken('wrong_type', { type: issue.expected });
    case 'invalid_value':
      return broken('not_one_of', { values: issue.values.map((value) => `\`${String(value)}\``).join(', ') });
    case 'invalid_format':
      return formats[issue.format] ?? broken('wrong_format');
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    default:
      return broken('wrong_form');
  }
}

const types: Readonly<Record<string, BrokenRule>> = {
  string: broken('not_text'),
  number: broken('not_a_whole_number'),
  int: broken('not_a_whole_number'),
  boolean: broken('not_a_boolean'),
  array: broken('not_a_list'),
  object: broken('not_an_object'),
  record: broken('not_an_object'),
};

const formats: Readonly<Record<string, BrokenRule>> = {
  url: broken('not_a_web_address'),
  email: broken('not_an_email_address'),
};

function tooSmall(origin: string, min: number): BrokenRule {
  if (origin === 'string') return broken('text_too_short', { min });
  return origin === 'array' ? broken('list_too_short', { min }) : broken('number_too_small', { min });
}

function tooBig(origin: string, max: number): BrokenRule {
  if (origin === 'string') return broken('text_too_long', { max });
  return origin === 'array' ? broken('list_too_long', { max }) : broken('number_too_large', { max });
}
