import { writeFileSync } from 'node:fs';
import { adminDocument } from '../src/manage/admin/openapi.ts';
import { type JsonSchema, referenceName } from '../src/serving/surfaces/openapi/component-schemas.ts';

/**
 * The requests and replies of the admin and account APIs as types for the dashboard. They come from the description
 * that is served at `/admin/v1/openapi.json`, so neither side can change alone.
 */
export function wireTypes(): string {
  const { schemas } = adminDocument('').components;
  const named = Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `${[header, ...named.map(([name, schema]) => declaration(name, schema))].join('\n\n')}\n`;
}

/** Writes the types to a file that Git ignores. `npm install` and `npm run check` do this; the build needs no types. */
export function writeWireTypes(): void {
  writeFileSync(new URL('../packages/dashboard/src/api/wire.ts', import.meta.url), wireTypes());
}

const header = `// biome-ignore-all format: it is written by scripts/wire-types.ts from the description of the API.
// Change the schemas in src/manage/admin and run that script.`;

function declaration(name: string, schema: JsonSchema): string {
  const body = typeOf(schema, '');
  const doc = comment(schema, '');
  return body.startsWith('{') ? `${doc}export interface ${name} ${body}` : `${doc}export type ${name} = ${body};`;
}

/** Returns the type of a schema. Throws for an unknown schema instead of returning `unknown`. */
export function typeOf(schema: JsonSchema, indent: string): string {
  const reference = referenceName(schema);
  if (reference !== undefined) return reference;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.enum) return union(schema.enum.map(literal));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.type === undefined) return anything(schema);
  if (typeof schema.type !== 'string') return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return `readonly ${inList(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      throw new Error(`Unknown schema: ${JSON.stringify(schema)}.`);
  }
}

function objectType({ properties, required = [], additionalProperties: others }: JsonSchema, indent: string): string {
  const values = typeof others === 'object' ? typeOf(others, indent) : 'unknown';
  const record = `Readonly<Record<string, ${values}>>`;
  if (!properties) return record;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, inner)}${inner}readonly ${name}${mark}: ${typeOf(schema, inner)};`;
  });
  const object = `{\n${lines.join('\n')}\n${indent}}`;
  return others === false || others === undefined ? object : `${object} & ${record}`;
}

function comment({ description }: JsonSchema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

/** A schema without rules accepts any value. */
function anything({ description: _description, ...rest }: JsonSchema): string {
  if (Object.keys(rest).length > 0) throw new Error(`Unknown schema: ${JSON.stringify(rest)}.`);
  return 'unknown';
}

/** `string` includes every string literal. */
function union(types: readonly string[]): string {
  const telling = types.includes('string') ? types.filter((type) => !type.startsWith("'")) : types;
  return [...new Set(telling)].join(' | ');
}

function inList(type: string): string {
  return /^[\w.]+$|^\{[^]*\}$/.test(type) && !type.includes('} & ') ? type : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

if (import.meta.main) writeWireTypes();
