import { isObject, listOf, type WireObject } from '../../dialects/wire-value.ts';

export type SimulatedSchema = WireObject;

export function schemasIn(value: unknown): readonly SimulatedSchema[] {
  return listOf(value).filter(isObject);
}

export function namesIn(value: unknown): readonly string[] {
  return listOf(value).filter((name) => typeof name === 'string');
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
  const sections = [root['$defs'], root['definitions']].filter(isObject);
  return [root, ...sections.flatMap((section) => Object.values(section).filter(isObject))];
}

/** Returns a schema that allows the intersection of both, as far as one schema can express it. */
export function merged(left: SimulatedSchema, right: SimulatedSchema): SimulatedSchema {
  const both: Record<string, unknown> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const known = left[name];
    both[name] = known === undefined ? value : (rules.get(name) ?? keepFirst)(known, value);
  }
  return both;
}

type MergeRule = (left: unknown, right: unknown) => unknown;

const keepFirst: MergeRule = (left) => left;

const larger: MergeRule = (left, right) => Math.max(numberIn(left) ?? -Infinity, numberIn(right) ?? -Infinity);
const smaller: MergeRule = (left, right) => Math.min(numberIn(left) ?? Infinity, numberIn(right) ?? Infinity);

/** The intersection. `false` allows nothing, `true` allows anything. */
const narrower: MergeRule = (left, right) => {
  if (left === false || right === false) return false;
  if (!isObject(left)) return right;
  return isObject(right) ? { allOf: [left, right] } : left;
};

const together: MergeRule = (left, right) => {
  const names = new Set([...Object.keys(Object(left)), ...Object.keys(Object(right))]);
  const all = [left, right].filter(isObject);
  return Object.fromEntries(
    [...names].map((name) => {
      const [first, second] = all.filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
      return [name, second === undefined ? first : narrower(first, second)] as const;
    }),
  );
};

const common: MergeRule = (left, right) => {
  const allowed = new Set([right].flat().map((value) => JSON.stringify(value)));
  return [left].flat().filter((value) => allowed.has(JSON.stringify(value)));
};

const commonTypes: MergeRule = (left, right) => {
  const wanted = new Set([right].flat());
  const types = [left].flat().flatMap((type) => {
    if (wanted.has(type)) return [type];
    return (type === 'number' && wanted.has('integer')) || (type === 'integer' && wanted.has('number'))
      ? ['integer']
      : [];
  });
  return types.length === 1 ? types[0] : types;
};

const rules: ReadonlyMap<string, MergeRule> = new Map<string, MergeRule>([
  ...['minimum', 'minLength', 'minItems', 'minProperties'].map((name) => [name, larger] as const),
  ...['maximum', 'maxLength', 'maxItems', 'maxProperties'].map((name) => [name, smaller] as const),
  ...['items', 'additionalProperties', 'contains'].map((name) => [name, narrower] as const),
  ...['properties', 'patternProperties', '$defs', 'definitions'].map((name) => [name, together] as const),
  ['required', (left, right) => [...new Set([...namesIn(left), ...namesIn(right)])]],
  ['enum', common],
  ['type', commonTypes],
  ['allOf', (left, right) => [...schemasIn(left), ...schemasIn(right)]],
]);
