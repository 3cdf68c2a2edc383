import { isObject } from '../../dialects/wire-value.ts';
import { merged, namesIn, numberIn, resolveReference, schemasIn, type SimulatedSchema } from './json-schema.ts';
import { sampleNumber, sampleText } from './sample-scalar.ts';

/** No value is possible: the schema allows none, or none of a reasonable size. */
const impossible = Symbol('impossible');

const depthMax = 32;
const optionalPropertiesMax = 50;
/** Below this depth only required parts are generated. */
const optionalDepthMax = 6;
/** How often one reference may lead to itself. */
const repeatsMax = 2;
const effortMax = 5000;

/** A valid value, with words of the user's message as strings. An empty object if the schema allows nothing. */
export function sampleValue(schema: unknown, hint: string): unknown {
  if (!isObject(schema)) return {};
  const words = hint.trim() === '' ? 'text' : hint;
  for (const isMinimal of [false, true]) {
    const value = new Sampler(schema, words, isMinimal).sample(schema, start);
    if (value !== impossible) return value;
  }
  return {};
}

interface SamplePosition {
  readonly depth: number;
  /** References that led here. A small value needs none of them often. */
  readonly references: readonly string[];
  /** The index among several values that must differ. */
  readonly turn: number;
}

const start: SamplePosition = { depth: 0, references: [], turn: 0 };

/** A schema without references and `allOf`, and the lists of alternatives. One of each list must also match. */
interface FlatSchema {
  readonly schema: SimulatedSchema;
  readonly alternatives: readonly (readonly SimulatedSchema[])[];
  readonly references: readonly string[];
}

class Sampler {
  readonly #root: SimulatedSchema;
  readonly #hint: string;
  readonly #isMinimal: boolean;
  #effort = 0;

  constructor(root: SimulatedSchema, hint: string, isMinimal: boolean) {
    this.#root = root;
    this.#hint = hint;
    this.#isMinimal = isMinimal;
  }

  sample(schema: unknown, position: SamplePosition): unknown {
    if (schema === false || position.depth > depthMax || ++this.#effort > effortMax) return impossible;
    const flat = this.#flatten(isObject(schema) ? schema : {}, position.references);
    return flat ? this.#solve(flat, position) : impossible;
  }

  /** Resolves references and merges the parts of `allOf`. Returns `undefined` for endless recursion. */
  #flatten(schema: SimulatedSchema, references: readonly string[]): FlatSchema | undefined {
    const { $ref, $dynamicRef, allOf, anyOf, oneOf, ...own } = schema;
    let flat: FlatSchema | undefined = { schema: own, alternatives: [], references };
    const reference = $ref ?? $dynamicRef;
    const parts: SimulatedSchema[] = [...schemasIn(allOf)];
    if (typeof reference === 'string') {
      const target = resolveReference(this.#root, reference);
      const isEndless = references.filter((known) => known === reference).length >= repeatsMax;
      if (isEndless || !isObject(target)) return undefined;
      flat = { ...flat, references: [...references, reference] };
      parts.unshift(target);
    }
    const led = flat.references;
    for (const part of parts) {
      const inner: FlatSchema | undefined = ++this.#effort > effortMax ? undefined : this.#flatten(part, led);
      if (!inner) return undefined;
      flat = both(flat, inner);
    }
    const choices = [schemasIn(anyOf), schemasIn(oneOf)].filter((list) => list.length > 0);
    return { ...flat, alternatives: [...flat.alternatives, ...choices] };
  }

  /** Tries the alternatives one by one until one yields a value. */
  #solve(flat: FlatSchema, position: SamplePosition): unknown {
    const [first, ...others] = flat.alternatives;
    const isFixed = flat.schema['const'] !== undefined || flat.schema['default'] !== undefined;
    if (!first || isFixed) return this.#value(flat.schema, { ...position, references: flat.references });
    for (const alternative of first) {
      if (this.#effort > effortMax) return impossible;
      const inner = this.#flatten(alternative, flat.references);
      if (!inner) continue;
      const value = this.#solve(both({ ...flat, alternatives: others }, inner), position);
      if (value !== impossible) return value;
    }
    return impossible;
  }

  #value(schema: SimulatedSchema, position: SamplePosition): unknown {
    const { const: only, default: usual, enum: choices, examples } = schema;
    if (only !== undefined) return only;
    if (usual !== undefined && isOfType(usual, schema['type'])) return usual;
    if (Array.isArray(choices)) {
      const fitting = choices.filter((choice) => isOfType(choice, schema['type']));
      return fitting.length > 0 ? fitting[position.turn % fitting.length] : impossible;
    }
    const [example] = Array.isArray(examples) ? examples.filter((one) => isOfType(one, schema['type'])) : [];
    return example !== undefined && position.turn === 0 ? example : this.#ofType(typeOf(schema), schema, position);
  }

  #ofType(type: string | undefined, schema: SimulatedSchema, position: SamplePosition): unknown {
    switch (type) {
      case 'string':
        return sampleText(schema, this.#hint, position.turn);
      case 'integer':
      case 'number':
        return sampleNumber(schema, type === 'integer', position.turn);
      case 'boolean':
        return position.turn % 2 === 0;
      case 'null':
        return null;
      case 'array':
        return this.#array(schema, position);
      case 'object':
        return this.#object(schema, position);
      default:
        return impossible;
    }
  }

  #canAddOptional({ depth }: SamplePosition): boolean {
    return !this.#isMinimal && depth < optionalDepthMax && this.#effort < effortMax / 2;
  }

  #array(schema: SimulatedSchema, position: SamplePosition): unknown {
    const { items, prefixItems, additionalItems, contains, uniqueItems } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = (Array.isArray(items) ? additionalItems : items) ?? { type: 'string' };
    const least = Math.max(numberIn(schema['minItems']) ?? 0, contains === undefined ? 0 : 1);
    const usual = this.#canAddOptional(position) ? Math.max(tuple.length, 1) : 0;
    const count = Math.min(Math.max(least, usual), numberIn(schema['maxItems']) ?? Infinity);
    const list: unknown[] = [];
    while (list.length < count) {
      const at = list.length;
      const own: unknown = at < tuple.length ? tuple[at] : rest;
      const wanted = at === 0 && contains !== undefined ? { allOf: [own, contains].filter(isObject) } : own;
      const turn = uniqueItems === true ? at : 0;
      const value = this.sample(wanted, { ...position, depth: position.depth + 1, turn });
      if (value === impossible) return at >= least ? list : impossible;
      list.push(value);
    }
    return list;
  }

  /** Generates the required fields, or all fields if none is required. */
  #object(schema: SimulatedSchema, position: SamplePosition): unknown {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = namesIn(schema['required']);
    const optional = required.length > 0 ? [] : Object.keys(properties).slice(0, optionalPropertiesMax);
    const fields = new Map<string, unknown>();
    const add = (name: string): boolean => {
      const own = Object.hasOwn(properties, name) ? properties[name] : othersIn(schema);
      const value = this.sample(own, { ...position, depth: position.depth + 1, turn: 0 });
      if (value !== impossible) fields.set(name, value);
      return value !== impossible;
    };
    for (const name of withDependents(required, schema)) if (!fields.has(name) && !add(name)) return impossible;
    for (const name of optional) if (this.#canAddOptional(position)) add(name);
    const least = numberIn(schema['minProperties']) ?? 0;
    for (const name of [...Object.keys(properties), ...invented(least)]) {
      if (fields.size >= least) break;
      if (!fields.has(name)) add(name);
    }
    return fields.size >= least ? Object.fromEntries(fields) : impossible;
  }
}

function both(left: FlatSchema, right: FlatSchema): FlatSchema {
  return {
    schema: merged(left.schema, right.schema),
    alternatives: [...left.alternatives, ...right.alternatives],
    references: left.references.length >= right.references.length ? left.references : right.references,
  };
}

function typeOf(schema: SimulatedSchema): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return namesIn(type).find((name) => name !== 'null') ?? namesIn(type)[0];
  return hints.find(([names]) => names.some((name) => schema[name] !== undefined))?.[1] ?? 'object';
}

/** The type of a schema without `type`, by its keywords. */
const hints: readonly (readonly [names: readonly string[], type: string])[] = [
  [['properties', 'required', 'additionalProperties', 'minProperties'], 'object'],
  [['items', 'prefixItems', 'minItems', 'contains'], 'array'],
  [['pattern', 'format', 'minLength', 'maxLength'], 'string'],
  [['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'], 'number'],
];

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(typeof value);
}

function othersIn({ patternProperties, additionalProperties }: SimulatedSchema): unknown {
  const [pattern] = isObject(patternProperties) ? Object.values(patternProperties) : [];
  return pattern ?? (additionalProperties === true ? undefined : additionalProperties) ?? { type: 'string' };
}

function withDependents(required: readonly string[], { dependentRequired }: SimulatedSchema): Iterable<string> {
  const names = new Set(required);
  const dependents = isObject(dependentRequired) ? dependentRequired : {};
  for (const name of names) {
    if (Object.hasOwn(dependents, name)) for (const dependent of namesIn(dependents[name])) names.add(dependent);
  }
  return names;
}

function invented(count: number): readonly string[] {
  return Array.from({ length: Math.min(count, optionalPropertiesMax) }, (_, at) => `field_${at + 1}`);
}
