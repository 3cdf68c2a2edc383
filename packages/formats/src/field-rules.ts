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

interface ListLimits<Element> {
  readonly lengthMax?: number;
  /** A fast check that accepts most valid elements. Only the others go through the schema, which is much slower. */
  readonly isKnownValid?: (value: unknown) => value is Element;
  /** The list is one of several forms of a union: an invalid element is reported with the error of the union. */
  readonly isOneForm?: boolean;
}

/** Validates up to the first invalid element, so a hostile list costs no more. Its JSON Schema is ordinary. */
export function listSchema<Element extends z.ZodType>(
  element: Element,
  rule: { readonly error: z.core.$ZodErrorMap },
  { lengthMax, isKnownValid, isOneForm = false }: ListLimits<z.input<Element>> = {},
): z.ZodArray<Element> {
  const list = z.array(z.unknown(), rule);
  const bounded = lengthMax === undefined ? list : list.max(lengthMax, `must hold at most ${lengthMax} elements`);
  const checked = bounded.check((context) => {
    for (const [index, value] of context.value.entries()) {
      if (isKnownValid?.(value)) continue;
      const result = element.safeParse(value);
      if (result.success) continue;
      for (const { message, path } of result.error.issues) {
        // A union shows an issue with `continue: true` as it is. Otherwise it shows its own error.
        const issue = { message, path: [index, ...path], continue: !isOneForm };
        context.issues.push({ code: 'custom', input: value, ...issue });
      }
      return;
    }
  });
  const described = checked.meta({
    get items() {
      const { $schema: _, ...items } = z.toJSONSchema(element);
      return items;
    },
  });
  // Elements are validated but not changed, so the list has the type of the element's schema.
  return described as unknown as z.ZodArray<Element>;
}
