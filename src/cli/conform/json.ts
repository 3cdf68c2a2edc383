/** The value at a path inside parsed JSON; `undefined` where the path leaves it. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    inner = (inner as Record<string | number, unknown>)[step];
  }
  return inner;
}

/** The list at a path, empty when there is none, for looking at what may be anything. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const inner = at(value, ...path);
  return Array.isArray(inner) ? inner : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The text read as JSON; `undefined`, which JSON cannot say, when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
