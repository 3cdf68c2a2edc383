import type { Tool } from '../chat/chat-request.ts';
import { isObject, type WireObject } from '../wire-value.ts';

/** The JSON types that a schema allows. Empty if the schema does not state them. */
export type ValueTypes = ReadonlySet<string>;

export class OfferedTools {
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Returns the name that the client sent: some formats put a namespace before it. */
  resolveName(name: string): string {
    const bare = name.startsWith('functions.') ? name.slice('functions.'.length) : name;
    return this.#tools.has(bare) ? bare : name;
  }

  schema(name: string): WireObject {
    return this.#tools.get(name)?.parameters ?? {};
  }
}

export function itemSchema({ items }: WireObject): WireObject {
  return isObject(items) ? items : {};
}

export function partSchema(schema: WireObject, part: string): WireObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const found = Object.hasOwn(properties, part) ? properties[part] : undefined;
  return isObject(found) ? found : {};
}

export function propertyNames(schema: WireObject): readonly string[] {
  return isObject(schema.properties) ? Object.keys(schema.properties) : [];
}

/** Returns the JSON types that a schema allows, including those of its alternatives. */
export function valueTypes(schema: WireObject, depth = 0): ValueTypes {
  const { type } = schema;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === 'string'));
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) ?? [];
  if (alternatives.length > 0 && depth < depthMax) {
    return new Set(alternatives.filter(isObject).flatMap((each) => [...valueTypes(each, depth + 1)]));
  }
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(typeOf));
  return new Set(isObject(schema.properties) ? ['object'] : isObject(schema.items) ? ['array'] : []);
}

const depthMax = 4;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
