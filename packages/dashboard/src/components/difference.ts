/** A field that differs. A side without the field is undefined. */
export interface FieldDifference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Compares two documents field by field, in their order. */
export function differences(before: unknown, after: unknown): readonly FieldDifference[] {
  const old = fieldsOf(before);
  const fresh = fieldsOf(after);
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((path) => ({ path, before: old.get(path), after: fresh.get(path) }))
    .filter((field) => field.before !== field.after);
}

/** Every value by its path. A list of primitive values counts as one value. */
function fieldsOf(document: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'string') fields.set(path, value);
    else if (typeof value !== 'object') fields.set(path, JSON.stringify(value));
    else if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
      if (value.length > 0) fields.set(path, value.join(', '));
    } else for (const [name, inner] of Object.entries(value)) walk(inner, path === '' ? name : `${path}.${name}`);
  };
  walk(document, '');
  return fields;
}
