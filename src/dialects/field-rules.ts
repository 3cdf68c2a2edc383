import { z } from 'zod';

/** The error message of a rule. The client reads it after the field's name. */
export function must(rule: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: (issue) => (issue.input === undefined ? `is required and must ${rule}` : `must ${rule}`) };
}

export const stringField = z.string(must('be a string'));
export const booleanField = z.boolean(must('be a boolean'));

export function objectField<Shape extends z.core.$ZodLooseShape>(fields: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(fields, must('be an object'));
}

export function between(min: number, max: number): z.ZodNumber {
  const rule = `must be between ${min} and ${max}`;
  return z.number(must('be a number')).min(min, rule).max(max, rule);
}

export function integerBetween(min: number, max: number): z.ZodInt {
  const rule = `must be an integer between ${min} and ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

/** Adds the violations of another schema, which depends on the value. */
export function alsoMeets<Value>(schemaOf: (value: Value) => z.ZodType | undefined): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    for (const { message, path } of schemaOf(value)?.safeParse(value).error?.issues ?? []) {
      issues.push({ code: 'custom', input: value, message, path: [...path] });
    }
  };
}
