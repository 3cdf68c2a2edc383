import { type Cursor, type Parse, isBlank } from './cursor.ts';
import { JsonCopy } from '../json/json-copy.ts';
import type { MarkupCursor } from './reading.ts';

/** Returns the text as a JSON string without its quotes. */
export function jsonInside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reads a complete JSON string. Returns `undefined` if there is none or it is longer than `max` characters. */
export function* readJsonString(cursor: Cursor, max: number): Parse<string | undefined> {
  let text = '';
  const isComplete = yield* passJsonString(cursor, (piece) => {
    text += piece;
    return text.length <= max;
  });
  return isComplete && text.length <= max ? text : undefined;
}

/** Writes the decoded text of a JSON string as it arrives. Returns false if there is none or it has no end. */
export function* passJsonString(cursor: Cursor, write: (text: string) => boolean | void): Parse<boolean> {
  if (!(yield* cursor.eat('"'))) return false;
  while (yield* cursor.more()) {
    special.lastIndex = cursor.at;
    const end = special.exec(cursor.text)?.index ?? cursor.text.length;
    cursor.steps += end - cursor.at + 1;
    if (end > cursor.at && write(cursor.take(end - cursor.at)) === false) return false;
    if (cursor.isDrained) continue;
    if (cursor.take(1) === '"') return true;
    if (write(yield* readEscape(cursor)) === false) return false;
  }
  return false;
}

const special = /["\\]/g;

export const jsonEscapes: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }),
);

function* readEscape(cursor: Cursor): Parse<string> {
  if (!(yield* cursor.more())) return '';
  const letter = cursor.take(1);
  if (letter !== 'u') return jsonEscapes.get(letter) ?? letter;
  const code = yield* readHexDigits(cursor, 4);
  return code.length === 4 ? String.fromCharCode(Number.parseInt(code, 16)) : `\\u${code}`;
}

export function* readHexDigits(cursor: Cursor, max: number): Parse<string> {
  let digits = '';
  while (digits.length < max && (yield* cursor.more()) && /[0-9a-f]/i.test(cursor.text.charAt(cursor.at))) {
    digits += cursor.take(1);
  }
  return digits;
}

/** The destination of a call's arguments, and the marks that end them if their brackets never close. */
interface ArgumentsTarget {
  readonly write: (json: string) => void;
  readonly closes: readonly string[];
}

/** Copies the value at the cursor as arguments: an object unchanged, a string unpacked, `{}` for nothing. */
export function* readArguments(reading: MarkupCursor, { write, closes }: ArgumentsTarget): Parse<void> {
  const { cursor } = reading;
  if (!(yield* cursor.more())) return;
  const first = cursor.text.charAt(cursor.at);
  if (first === '{' || first === '[') yield* copy(reading, { write, closes });
  else if (first === '"') yield* unpack(reading, write);
  else {
    const word = yield* cursor.run(isScalar, scalarMax);
    write(word === '' || word === 'null' ? '{}' : word);
  }
}

function* copy(reading: MarkupCursor, { write, closes }: ArgumentsTarget): Parse<void> {
  const { cursor } = reading;
  const json = new JsonCopy({ repair: reading.repair });
  while (!json.isDone && (yield* cursor.more())) {
    const before = cursor.at;
    cursor.at = json.take(cursor.text, cursor.at, write);
    cursor.steps += cursor.at - before + 1;
    if (json.isDone || cursor.isDrained) continue;
    if ((yield* cursor.seesAny(closes)) !== undefined) break;
    cursor.at++;
    json.takeStray(write);
  }
  if (!cursor.isDrained || reading.endsNaturally()) json.close(write);
  if (json.hasRepaired) reading.repaired();
}

function* unpack({ cursor }: MarkupCursor, write: (json: string) => void): Parse<void> {
  let isEmpty = true;
  yield* passJsonString(cursor, (piece) => {
    isEmpty &&= piece.trim() === '';
    write(piece);
  });
  if (isEmpty) write('{}');
}

const scalarMax = 256;

function isScalar(code: number): boolean {
  return !isBlank(code) && code !== 44 && code !== 125 && code !== 93 && code !== 60;
}
