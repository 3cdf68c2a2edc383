import { validateAndRepair, type Validator } from '../../src/guarantees/validate-and-repair.ts';
import { type SchemaAnswer, SchemaWorkerPool, type SchemaWork } from '../../src/guarantees/schema-worker-pool.ts';
import { schemaCompiler } from '../../src/guarantees/validator.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const compiled = new Map<string, Validator>();
let compile: ReturnType<typeof schemaCompiler> | undefined;

/** How long a thread takes here to start, and to answer. */
const startMs = 50;
const workMs = 2;

/** The desk as it is, with a thread that is no thread: it takes its time in the world, and dies with its machine. */
export function inlineSchemas(world: World, machine: Machine): SchemaWorkerPool {
  return new SchemaWorkerPool(machine.clock, ({ ready, answered }) => {
    world.after(startMs, () => machine.deliver(ready));
    return {
      ask: (work) => void world.after(workMs, () => machine.deliver(() => answered(answerTo(work)))),
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
