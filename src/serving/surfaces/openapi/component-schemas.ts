import { z } from 'zod';
import type { NamedSchema } from './endpoint.ts';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

const prefix = '#/components/schemas/';

export function schemaReference(name: string): JsonSchema {
  return { $ref: prefix + name };
}

export function referenceName(schema: JsonSchema): string | undefined {
  return schema.$ref?.slice(prefix.length);
}

/** The named schemas as JSON Schema. Nested ones are references by name. */
export function componentSchemas(named: readonly NamedSchema[]): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const { name, schema } of named) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    uri: (id) => prefix + id,
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIdentity(schema)]));
}

/** Removes `$id`, which would change the base of the references in the schema. */
function withoutIdentity({ $schema: _dialect, $id: _id, ...schema }: Record<string, unknown>): JsonSchema {
  return schema;
}
