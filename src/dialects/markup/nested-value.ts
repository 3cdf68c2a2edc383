import type { Parse } from './cursor.ts';
import { coerce } from './coerce.ts';
import { jsonInside } from './json-text.ts';
import { itemSchema, partSchema, valueTypes } from './offered-tools.ts';
import { headerMax, type MarkupCursor } from './reading.ts';

/** Tag syntax of a format in which each tag is the name of its value. */
export interface Nesting {
  readonly lead: string;
  readonly closeLead: string;
  readonly end: string;
}

interface NestedValue {
  readonly form: Nesting;
  readonly key: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const depthMax = 64;
const scalarMax = 1024 * 1024;

/**
 * Writes the text between a tag and its close as JSON, and tags inside it as objects and lists. The tag is already
 * taken.
 */
export function* readNested(reading: MarkupCursor, value: NestedValue, depth = 0): Parse<boolean> {
  const { cursor } = reading;
  const { form } = value;
  const blanks = yield* cursor.blanks();
  const isClose = yield* cursor.sees(form.closeLead, blanks);
  if (depth < depthMax && !isClose && (yield* cursor.sees(form.lead, blanks))) {
    cursor.at += blanks;
    return yield* readParts(reading, value, depth);
  }
  return yield* readScalar(reading, value);
}

function* readParts(reading: MarkupCursor, { form, key, schema }: NestedValue, depth: number): Parse<boolean> {
  const { cursor, write } = reading;
  let isList: boolean | undefined;
  for (let count = 0; ; count++) {
    yield* cursor.skipBlanks();
    if (yield* cursor.sees(form.closeLead)) break;
    if (!(yield* cursor.eat(form.lead))) break;
    const part = yield* cursor.until([form.end], headerMax);
    if (part === undefined) return false;
    cursor.at += form.end.length;
    isList ??= valueTypes(schema).size === 0 ? part === 'item' : valueTypes(schema).has('array');
    const opening = isList ? '[' : '{';
    write(`${count > 0 ? ', ' : opening}${isList ? '' : `${JSON.stringify(part)}: `}`);
    const inner = { form, key: part, schema: isList ? itemSchema(schema) : partSchema(schema, part) };
    if (!(yield* readNested(reading, inner, depth + 1))) return false;
  }
  const isClosed = yield* cursor.eat(form.closeLead + key + form.end);
  if (!isClosed && cursor.isDrained && !reading.endsNaturally()) return false;
  write(isList ? ']' : '}');
  return isClosed;
}

function* readScalar(reading: MarkupCursor, { form, key, schema }: NestedValue): Parse<boolean> {
  const { cursor, write } = reading;
  const close = form.closeLead + key + form.end;
  const types = valueTypes(schema);
  const isString = [...types].every((type) => type === 'string');
  let text = '';
  if (isString) write('"');
  const end = yield* cursor.passUntil([close], (piece) => {
    if (isString) write(jsonInside(piece));
    else text += piece;
    return text.length <= scalarMax;
  });
  if (end !== undefined) cursor.at += end.length;
  else if (!reading.endsNaturally() && cursor.isDrained) return false;
  write(isString ? '"' : coerce(text, types));
  return end !== undefined;
}
