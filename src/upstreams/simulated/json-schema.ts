/** A JSON Schema, or the part of one that is an object. */
export type SimulatedSchema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is SimulatedSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function schemasIn(value: unknown): readonly SimulatedSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns the schema that a reference names within the root schema: by path, anchor or id. */
export function resolveReference(root: SimulatedSchema, reference: string): unknown {
  if (reference === '#') return root;
  if (reference.startsWith('#/')) return atPath(root, reference.slice(2).split('/'));
  const name = reference.startsWith('#') ? reference.slice(1) : reference;
  return definitionsIn(root).find(
    (schema) => schema['$anchor'] === name || schema['$dynamicAnchor'] === name || schema['$id'] === name,
  );
}

function atPath(root: SimulatedSchema, steps: readonly string[]): unknown {
  let current: unknown = root;
  for (const step of steps) {
    const name = unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const isThere = typeof current === 'object' && current !== null && Object.hasOwn(current, name);
    if (!isThere) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[name];
  }
  return current;
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function definitionsIn(root: SimulatedSchema): readonly SimulatedSchema[] {
  const sections = [root['$defs'], root['definitions']].filter(isSchema);
  return [root, ...sections.flatMap((section) => Object.values(section).filter(isSchema))];
}
