import { validateAndRepair, type Validator } from 'chat-formats/guarantees/validate-and-repair.ts';
import {
  type SchemaAnswer,
  SchemaWorkerPool,
  type SchemaWork,
} from '../../src/serving/inference/constraints/schema-worker-pool.ts';
import { schemaCompiler } from 'chat-formats/guarantees/validator.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const compiled = new Map<string, Validator>();
let compile: ReturnType<typeof schemaCompiler> | undefined;

/** The virtual time in which a thread starts, and in which it answers. */
const startMs = 50;
const workMs = 2;

/** The real worker pool with a simulated thread, which works in virtual time and dies with its machine. */
export function inlineSchemas(world: World, machine: Machine): SchemaWorkerPool {
  return new SchemaWorkerPool(machine.clock, ({ ready, answered }) => {
    world.after(startMs, () => machine.deliver(ready));
    return {
      send: (work) => void world.after(workMs, () => machine.deliver(() => answered(answerTo(work)))),
      end: () => Promise.resolve(),
    };
  });
}

function answerTo({ schema, text }: SchemaWork): SchemaAnswer {
  compile ??= schemaCompiler();
  const validator = compiled.get(schema) ?? compile(JSON.parse(schema) as Record<string, unknown>);
  compiled.set(schema, validator);
  return { fitting: text === undefined ? undefined : validateAndRepair(text, validator) };
}
