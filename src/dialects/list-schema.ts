import { z } from 'zod';

interface ListLimits<Element> {
  readonly lengthMax?: number;
  /** Knows most good elements at a glance. The schema is asked about the others, and takes far longer. */
  readonly isSurelyGood?: (value: unknown) => value is Element;
  /** A bad element is told in the words of the union around the list, because the list is one of several forms. */
  readonly isOneForm?: boolean;
}

/**
 * A list that is read only up to its first bad element: a hostile list of a hundred thousand bad elements then costs no
 * more than one. Described to readers like the plain list of its elements.
 */
export function listSchema<Element extends z.ZodType>(
  element: Element,
  rule: { readonly error: z.core.$ZodErrorMap },
  { lengthMax, isSurelyGood, isOneForm = false }: ListLimits<z.input<Element>> = {},
): z.ZodArray<Element> {
  const list = z.array(z.unknown(), rule);
  const bounded = lengthMax === undefined ? list : list.max(lengthMax, `must hold at most ${lengthMax} elements`);
  const checked = bounded.check((context) => {
    for (const [index, value] of context.value.entries()) {
      if (isSurelyGood?.(value)) continue;
      const result = element.safeParse(value);
      if (result.success) continue;
      for (const { message, path } of result.error.issues) {
        // An issue that can be continued after is shown by a union as it is; any other makes it say its own words.
        const shown = { message, path: [index, ...path], continue: !isOneForm };
        context.issues.push({ code: 'custom', input: value, ...shown });
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
