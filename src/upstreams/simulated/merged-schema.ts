import { isSchema, namesIn, numberIn, type SimulatedSchema, schemasIn } from './json-schema.ts';

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
  if (!isSchema(left)) return right;
  return isSchema(right) ? { allOf: [left, right] } : left;
};

const together: MergeRule = (left, right) => {
  const names = new Set([...Object.keys(Object(left)), ...Object.keys(Object(right))]);
  const all = [left, right].filter(isSchema);
  return Object.fromEntries(
    [...names].map((name) => {
      const [first, second] = all.filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
      return [name, second === undefined ? first : narrower(first, second)] as const;
    }),
  );
};

const common: MergeRule = (left, right) => {
  const allowed = new Set(listOf(right).map((value) => JSON.stringify(value)));
  return listOf(left).filter((value) => allowed.has(JSON.stringify(value)));
};

const commonTypes: MergeRule = (left, right) => {
  const wanted = new Set(listOf(right));
  const types = listOf(left).flatMap((type) => {
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
