import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { fitted, type Validator } from './fitted.ts';
import type { SchemaAnswer, SchemaWork } from './schema-worker-pool.ts';
import { RefusedSchema, schemaCompiler } from './validator.ts';

/** How many characters of schemas stay compiled. What is made of one takes many times its room. */
const compiledCharactersMax = 512 * 1024;

const compile = schemaCompiler();
const compiled = new LRUCache<string, Validator>({
  maxSize: compiledCharactersMax,
  sizeCalculation: (_, schema) => schema.length + 1,
});

parentPort?.on('message', (work: SchemaWork) => parentPort?.postMessage(answer(work)));
// The first of each draft takes a hundred times as long as the next: whoever comes first shall not be taken for hostile.
for (const draft of ['draft-07', '2020-12']) compile({ $schema: draft });
parentPort?.postMessage('ready');

function answer({ schema, text }: SchemaWork): SchemaAnswer {
  try {
    const validator = compiled.get(schema) ?? compile(JSON.parse(schema));
    compiled.set(schema, validator);
    return { fitting: text === undefined ? undefined : fitted(text, validator) };
  } catch (error) {
    if (error instanceof RefusedSchema) return { refused: error.message };
    // A value that leads a schema round in circles until the stack is full fits nothing.
    return { fitting: { words: `it cannot be checked: ${String(error)}`, json: undefined } };
  }
}
