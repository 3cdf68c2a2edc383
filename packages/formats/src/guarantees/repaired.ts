import { safeJson } from '../json/safe-json.ts';
import { readJson } from '../json/json-reader.ts';

type RepairSchema = Readonly<Record<string, unknown>>;
type Types = ReadonlySet<string>;

/** Maximum references followed before they count as circular. */
const referencesMax = 16;

/**
 * Returns a value with every error repaired that has only one possible repair. Repairs are: a number, boolean or
 * structure written as a string; a number where only a string is allowed; one object instead of a list of objects;
 * `null` for an optional member. A value that fits is returned unchanged. One of several alternatives (`anyOf`,
 * `oneOf`) is chosen only if members with a fixed text rule out all others. `null` does not count as an alternative.
 */
export function repairToSchema(value: unknown, schema: RepairSchema): unknown {
  return repairAt(value, schema, schema);
}

function repairAt(value: unknown, part: unknown, root: RepairSchema): unknown {
  const found = resolve(part, root, value);
  if (!found || (value === null && found.takesNull)) return value;
  const { schema } = found;
  const types = typesOf(schema);
  const converted = types && !takes(types, value) ? convert(value, types, schema) : value;
  if (Array.isArray(converted)) return repairItems(converted, schema, root);
  return isObject(converted) ? repairMembers(converted, schema, root) : converted;
}

/** Follows references inside the document, and reduces a choice between one schema and `null` to that schema. */
function resolve(part: unknown, root: RepairSchema, value: unknown) {
  let at = part;
  let takesNull = false;
  for (let steps = 0; steps < referencesMax; steps++) {
    if (!isObject(at)) return undefined;
    const { $ref: reference, anyOf, oneOf } = at;
    const alternatives = anyOf ?? oneOf;
    takesNull ||= at['nullable'] === true || (typesOf(at)?.has('null') ?? false);
    if (typeof reference === 'string') at = followReference(reference, root);
    else if (Array.isArray(alternatives) && at['type'] === undefined) {
      const others: unknown[] = alternatives.filter((each) => !isObject(each) || each['type'] !== 'null');
      takesNull ||= others.length < alternatives.length;
      const possible = others.length === 1 ? others : others.filter((each) => !isRuledOut(each, root, value));
      at = possible.length === 1 ? possible[0] : undefined;
    } else return { schema: at, takesNull };
  }
  return undefined;
}

/** Whether a value cannot match an alternative: a member with a fixed text there has another text. */
function isRuledOut(part: unknown, root: RepairSchema, value: unknown): boolean {
  const reference = isObject(part) ? part['$ref'] : undefined;
  const schema = typeof reference === 'string' ? followReference(reference, root) : part;
  if (!isObject(schema) || !isObject(value)) return false;
  const types = typesOf(schema);
  if (types && !types.has('object') && !types.has('array')) return true;
  const { properties } = schema;
  if (!isObject(properties)) return false;
  return Object.entries(properties).some(
    ([name, member]) => Object.hasOwn(value, name) && isOther(value[name], member),
  );
}

function isOther(value: unknown, member: unknown): boolean {
  if (!isObject(member) || typeof value !== 'string') return false;
  const texts: readonly unknown[] = 'const' in member ? [member['const']] : asList(member['enum']);
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function followReference(reference: string, root: RepairSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function typesOf({ type }: RepairSchema): Types | undefined {
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) ? new Set(type.map(String)) : undefined;
}

function takes(types: Types, value: unknown): boolean {
  if (typeof value === 'number') return types.has('number') || (types.has('integer') && Number.isInteger(value));
  return types.has(typeOf(value));
}

function convert(value: unknown, types: Types, { items }: RepairSchema): unknown {
  if (typeof value === 'string') return unpack(value, types);
  const isOnly = (type: string) => types.has(type) && types.size === (types.has('null') ? 2 : 1);
  if (typeof value === 'number' && isOnly('string')) return String(value);
  const takesObjects = isObject(items) && items['type'] === 'object';
  return isObject(value) && isOnly('array') && takesObjects ? [value] : value;
}

/** Returns the JSON value in a string, if its type is allowed here. Called only if a string is not allowed. */
function unpack(text: string, types: Types): unknown {
  const read = readJson(text);
  if (!read.isComplete || !read.hasExactNumbers) return text;
  const value = safeJson(text);
  if (value === undefined) return text;
  return takes(types, value) ? value : text;
}

function repairItems(list: readonly unknown[], { items, prefixItems }: RepairSchema, root: RepairSchema): unknown {
  const [first, rest] = Array.isArray(items) ? [items, undefined] : [prefixItems, items];
  const firsts = asList(first);
  return list.map((item, at) => repairAt(item, at < firsts.length ? firsts[at] : rest, root));
}

function repairMembers(object: RepairSchema, schema: RepairSchema, root: RepairSchema): unknown {
  const { properties, required, additionalProperties } = schema;
  const known = isObject(properties) ? properties : {};
  const needed = asList(required);
  const members = Object.entries(object).flatMap(([name, value]) => {
    const own = Object.hasOwn(known, name);
    const part = own ? known[name] : schema['patternProperties'] === undefined ? additionalProperties : undefined;
    const isAbsent = value === null && own && !needed.includes(name) && isWithoutNull(part, root);
    return isAbsent ? [] : [[name, repairAt(value, part, root)] as const];
  });
  return Object.fromEntries(members);
}

function isWithoutNull(part: unknown, root: RepairSchema): boolean {
  const found = resolve(part, root, undefined);
  return found !== undefined && !found.takesNull && typesOf(found.schema) !== undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is RepairSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
