import { JsonCopy } from '../json/json-copy.ts';
import { safeJson } from '../json/safe-json.ts';
import type { ValidationResult } from './checked-schema.ts';
import { readJson } from '../json/json-reader.ts';
import { repairToSchema } from './repaired.ts';

/** A schema and its compiled check. `misfit` returns the error in a value, or undefined if it fits. */
export interface Validator {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly misfit: (value: unknown) => string | undefined;
}

/** A repaired value is serialised again, so a value with a number that would lose digits is not repaired. */
export function validateAndRepair(text: string, { schema, misfit }: Validator): ValidationResult {
  const first = readJson(text);
  const syntax = first.isComplete ? undefined : `it is not valid JSON: ${first.words}`;
  const json = first.isComplete ? text : repairSyntax(text);
  const { isComplete, hasExactNumbers } = first.isComplete ? first : readJson(json);
  if (!isComplete) return { words: syntax, json: undefined };
  const value = safeJson(json);
  if (value === undefined) return { words: 'the name of a member has a backslash', json: undefined };
  const error = misfit(value);
  const words = syntax ?? error;
  if (error === undefined) return { words, json };
  if (!hasExactNumbers) return { words, json: undefined };
  const repairedValue = repairToSchema(value, schema);
  return { words, json: misfit(repairedValue) === undefined ? JSON.stringify(repairedValue) : undefined };
}

/** Uses the same rules as for streamed arguments: trailing commas, open brackets, raw control characters. */
function repairSyntax(text: string): string {
  const start = text.search(/\S/);
  if (start === -1 || !'{['.includes(text.charAt(start))) return text;
  const copy = new JsonCopy({ repair: true });
  let json = '';
  const write = (piece: string): void => void (json += piece);
  const end = copy.take(text, start, write);
  if (end === text.length) copy.close(write);
  return text.slice(end).trim() === '' ? json : text;
}
