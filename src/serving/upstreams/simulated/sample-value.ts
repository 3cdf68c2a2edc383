import { isObject, listOf, type WireObject } from 'chat-formats/wire-value.ts';

/** Deeper values are null. A schema may name itself. */
const depthMax = 8;
/** A schema of a few lines can ask for millions of values. */
const effortMax = 2000;
const textCharactersMax = 80;
const itemsMax = 20;

/**
 * A small value in the shape of a schema: the required members, the first of enumerated values, the hint as text. Rules
 * such as `pattern`, `multipleOf` and `uniqueItems` are not followed.
 */
export function sampleValue(schema: unknown, hint: string): unknown {
  const text = Array.from(hint.trim().slice(0, 2 * textCharactersMax)).slice(0, textCharactersMax);
  return isObject(schema) ? new Sampler(schema, text.length === 0 ? ['text'] : text).sample(schema, 0) : {};
}

class Sampler {
  readonly #root: WireObject;
  readonly #text: readonly string[];
  #effort = 0;

  constructor(root: WireObject, text: readonly string[]) {
    this.#root = root;
    this.#text = text;
  }

  sample(part: unknown, depth: number): unknown {
    if (depth > depthMax || this.#effort > effortMax) return null;
    const schema = this.#resolved(part, depth);
    const [fixed] = [schema['const'], schema['default'], ...listOf(schema['enum'])].filter(
      (each) => each !== undefined,
    );
    if (fixed !== undefined) return fixed;
    const type = typeOf(schema);
    if (type === 'object') return membersOf(schema, (member) => this.sample(member, depth + 1));
    if (type !== 'array') return this.#scalar(type, schema);
    const { items, minItems = 1, maxItems = itemsMax } = schema;
    const count = Math.min(Number(minItems), Number(maxItems), itemsMax);
    return Array.from({ length: count }, () => this.sample(items, depth + 1));
  }

  /** Follows a reference, takes the first of `anyOf` and of `oneOf`, and adds the parts of `allOf`. */
  #resolved(part: unknown, depth: number): WireObject {
    this.#effort += 1;
    if (!isObject(part) || depth > depthMax || this.#effort > effortMax) return {};
    const { $ref: reference, anyOf, oneOf, allOf, ...own } = part;
    const target = typeof reference === 'string' ? targetOf(this.#root, reference) : undefined;
    const parts = [target, listOf(anyOf)[0], listOf(oneOf)[0], ...listOf(allOf)];
    return parts.map((each) => this.#resolved(each, depth + 1)).reduce(merged, own);
  }

  #scalar(type: unknown, { format, maxLength = textCharactersMax, minimum, maximum }: WireObject): unknown {
    switch (type) {
      case 'string':
        return texts.get(format) ?? this.#text.slice(0, Number(maxLength)).join('');
      case 'integer':
      case 'number':
        return minimum ?? maximum ?? 1;
      case 'boolean':
        return true;
      default:
        return null;
    }
  }
}

/** The definition that a path such as `#/$defs/City` names. */
function targetOf(root: WireObject, reference: string): unknown {
  const [start, ...steps] = reference.split('/');
  const into = (at: unknown, step: string) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined);
  return start === '#' ? steps.reduce(into, root) : undefined;
}

function merged(all: WireObject, each: WireObject): WireObject {
  return {
    ...each,
    ...all,
    properties: { ...Object(each['properties']), ...Object(all['properties']) },
    required: [...listOf(all['required']), ...listOf(each['required'])],
  };
}

function typeOf({ type, items }: WireObject): unknown {
  const types = [type ?? (items === undefined ? 'object' : 'array')].flat();
  return types.find((name) => name !== 'null') ?? 'null';
}

function membersOf({ properties, required, additionalProperties }: WireObject, sample: (member: unknown) => unknown) {
  const members = isObject(properties) ? properties : {};
  const names = new Set(listOf(required).filter((name) => typeof name === 'string'));
  const schemaOf = (name: string) => (Object.hasOwn(members, name) ? members[name] : additionalProperties);
  return Object.fromEntries([...names].map((name) => [name, sample(schemaOf(name))]));
}

const texts: ReadonlyMap<unknown, string> = new Map([
  ['date', '2026-01-01'],
  ['time', '12:00:00Z'],
  ['date-time', '2026-01-01T12:00:00Z'],
  ['email', 'someone@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);
