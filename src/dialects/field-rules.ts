import { z } from 'zod';

/** The error message of a rule. The client reads it after the field's name. */
export function must(rule: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: (issue) => (issue.input === undefined ? `is required and must ${rule}` : `must ${rule}`) };
}

export function between(min: number, max: number): z.ZodNumber {
  const rule = `must be between ${min} and ${max}`;
  return z.number(must('be a number')).min(min, rule).max(max, rule);
}

export function integerBetween(min: number, max: number): z.ZodInt {
  const rule = `must be an integer between ${min} and ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}
