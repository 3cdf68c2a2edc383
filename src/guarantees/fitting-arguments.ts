import { JsonCopy } from '../core/json-copy.ts';
import { hasBackslashInName } from '../core/safe-json.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { readJson } from './json-reader.ts';
import { mended } from './mended.ts';

/** A value that fits its schema, as JSON text, or what is wrong with it. */
export type Fitting =
  | { readonly json: string; readonly isMended: boolean; readonly words?: undefined }
  | { readonly words: string };

/**
 * The text of a value that fits its schema: as the model wrote it, or mended where it is certain how. What is mended is
 * written anew, so a value with a number that would not survive it is left alone.
 */
export function fitting(text: string, { schema, misfit }: CheckedSchema): Fitting {
  const plain = text.trim() === '' ? '{}' : text;
  const json = readJson(plain).isWhole ? plain : repaired(plain);
  const read = readJson(json);
  if (!read.isWhole) return { words: `it is not valid JSON: ${read.words}` };
  if (hasBackslashInName(json)) return { words: 'a member has a backslash in its name, which is not taken here' };
  const value: unknown = JSON.parse(json);
  const words = misfit(value);
  if (words === undefined) return { json, isMended: json !== text };
  if (!read.hasExactNumbers) return { words };
  const better = mended(value, schema);
  return misfit(better) === undefined ? { json: JSON.stringify(better), isMended: true } : { words };
}

/** By the same rules as arguments on their way: trailing commas, brackets left open, raw control characters. */
function repaired(text: string): string {
  const start = text.search(/[{[]/);
  if (start === -1 || text.slice(0, start).trim() !== '') return text;
  const copy = new JsonCopy({ repair: true });
  let json = '';
  const write = (piece: string): void => void (json += piece);
  const end = copy.take(text, start, write);
  if (end === text.length) copy.close(write);
  return text.slice(end).trim() === '' ? json : text;
}
