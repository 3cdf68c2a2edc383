import { z } from 'zod';
import type { Path } from './problem.ts';

/** What of JSON Schema our own schemas produce; `title`, `sample` and `fix` are ours and speak to people. */
export interface Shape {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly sample?: string;
  readonly fix?: string;
  readonly default?: unknown;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The schema as data: what may be written, rather than what is read from it. */
export function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { io: 'input' }) as Shape;
}

export function shapeAt(shape: Shape | undefined, path: Path): Shape | undefined {
  return path.reduce<Shape | undefined>((current, step) => {
    if (typeof step === 'number') return current?.items;
    const object = objectShape(current);
    if (object?.properties && Object.hasOwn(object.properties, step)) return object.properties[step];
    return typeof object?.additionalProperties === 'object' ? object.additionalProperties : undefined;
  }, shape);
}

/** Of alternatives, the one with names inside. */
export function objectShape(shape: Shape | undefined): Shape | undefined {
  return shape?.anyOf?.find((branch) => branch.type === 'object') ?? shape;
}
