import { z } from 'zod';
import type { Path } from './problem.ts';

/** The part of JSON Schema that this folder uses. `title`, `sample` and `fix` are texts for problems and documentation. */
export interface SchemaShape {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly sample?: string;
  readonly fix?: string;
  readonly default?: unknown;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaShape | boolean;
  readonly items?: SchemaShape;
  readonly anyOf?: readonly SchemaShape[];
}

/** The JSON Schema of the input, before transformations. */
export function shapeOf(schema: z.ZodType): SchemaShape {
  return z.toJSONSchema(schema, { io: 'input' }) as SchemaShape;
}

export function shapeAt(shape: SchemaShape | undefined, path: Path): SchemaShape | undefined {
  return path.reduce<SchemaShape | undefined>((current, step) => {
    if (typeof step === 'number') return current?.items;
    const object = objectShape(current);
    if (object?.properties && Object.hasOwn(object.properties, step)) return object.properties[step];
    return typeof object?.additionalProperties === 'object' ? object.additionalProperties : undefined;
  }, shape);
}

/** Of several alternatives, the object. */
export function objectShape(shape: SchemaShape | undefined): SchemaShape | undefined {
  return shape?.anyOf?.find((branch) => branch.type === 'object') ?? shape;
}
