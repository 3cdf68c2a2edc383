import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { validateAndRepair, type Validator } from 'chat-formats/guarantees/validate-and-repair.ts';
import type { SchemaAnswer, SchemaWork } from './schema-worker-pool.ts';
import { RejectedSchema, schemaCompiler } from 'chat-formats/guarantees/validator.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** Maximum characters of schemas that stay compiled. A compiled schema takes many times its size in memory. */
const compiledCharactersMax = 512 * 1024;

const compile = schemaCompiler();
const compiled = new LRUCache<string, Validator>({
  maxSize: compiledCharactersMax,
  sizeCalculation: (_, schema) => schema.length + 1,
});

parentPort?.on('message', (work: SchemaWork) => parentPort?.postMessage(answer(work)));
// The first schema of each draft takes 100 times as long as the next. It must not exceed the time limit.
for (const draft of ['draft-07', '2020-12']) compile({ $schema: draft });
parentPort?.postMessage('ready');

function answer({ schema, text }: SchemaWork): SchemaAnswer {
  try {
    const validator = compiled.get(schema) ?? compile(ownJson(schema) as Readonly<Record<string, unknown>>);
    compiled.set(schema, validator);
    return { fitting: text === undefined ? undefined : validateAndRepair(text, validator) };
  } catch (error) {
    if (error instanceof RejectedSchema) return { refused: error.message };
    // A value that makes the validator overflow the stack does not fit.
    return { fitting: { words: `it cannot be checked: ${String(error)}`, json: undefined } };
  }
}
