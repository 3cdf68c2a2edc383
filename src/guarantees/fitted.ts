import { JsonCopy } from '../core/json-copy.ts';
import { hasBackslashInName } from '../core/safe-json.ts';
import type { Fitting } from './checked-schema.ts';
import { readJson } from './json-reader.ts';
import { mended } from './repaired.ts';

/** A schema, and what it finds wrong with a value. */
export interface Validator {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly misfit: (value: unknown) => string | undefined;
}

/**
 * Holds a text against a schema: as the model wrote it, and mended where it is certain how. What is mended is written anew,
 * so a value with a number that would not survive it is left alone.
 */
export function fitted(text: string, { schema, misfit }: Validator): Fitting {
  const first = readJson(text);
  const syntax = first.isWhole ? undefined : `it is not valid JSON: ${first.words}`;
  const json = first.isWhole ? text : repaired(text);
  const { isWhole, hasExactNumbers } = first.isWhole ? first : readJson(json);
  if (!isWhole) return { words: syntax, json: undefined };
  if (hasBackslashInName(json)) return { words: 'the name of a member has a backslash', json: undefined };
  const value: unknown = JSON.parse(json);
  const misfits = misfit(value);
  const words = syntax ?? misfits;
  if (misfits === undefined) return { words, json };
  if (!hasExactNumbers) return { words, json: undefined };
  const better = mended(value, schema);
  return { words, json: misfit(better) === undefined ? JSON.stringify(better) : undefined };
}

/** By the same rules as arguments on their way: trailing commas, brackets left open, raw control characters. */
function repaired(text: string): string {
  const start = text.search(/\S/);
  if (start === -1 || !'{['.includes(text.charAt(start))) return text;
  const copy = new JsonCopy({ repair: true });
  let json = '';
  const write = (piece: string): void => void (json += piece);
  const end = copy.take(text, start, write);
  if (end === text.length) copy.close(write);
  return text.slice(end).trim() === '' ? json : text;
}
