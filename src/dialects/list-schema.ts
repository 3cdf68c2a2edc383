import { z } from 'zod';

/**
 * A list that is read only up to its first bad element: a hostile list of a hundred thousand bad elements then costs no
 * more than one. Described to readers like the plain list of its elements.
 */
export function listSchema<Element extends z.ZodType>(
  element: Element,
  rule: { readonly error: z.core.$ZodErrorMap },
  lengthMax?: { readonly value: number; readonly rule: string },
): z.ZodArray<Element> {
  const list = z.array(z.unknown(), rule);
  const bounded = lengthMax ? list.max(lengthMax.value, { error: lengthMax.rule, abort: true }) : list;
  const checked = bounded.check((context) => {
    for (const [index, value] of context.value.entries()) {
      const result = element.safeParse(value);
      if (result.success) continue;
      for (const issue of result.error.issues) {
        // Marked as one that may be continued after, or a union around the list would hide where it is.
        context.issues.push({
          code: 'custom',
          message: issue.message,
          path: [index, ...issue.path],
          input: value,
          continue: true,
        });
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
  // Elements are checked, never changed, so the list holds what the element's schema says.
  return described as unknown as z.ZodArray<Element>;
}
