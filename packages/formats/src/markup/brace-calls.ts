import { isBlank, isNameCharacter, type Parse } from './cursor.ts';
import { jsonInside } from './json-text.ts';
import { another, type MarkupEngine, nameMax, type MarkupCursor } from './reading.ts';

/** Call format: a dictionary with unquoted keys. The mark `quote` delimits its strings. */
export interface BraceCalls {
  readonly quote: string;
  readonly closes: readonly string[];
  readonly begins: readonly string[];
}

const depthMax = 64;
const wordMax = 4096;

export function braceCalls(form: BraceCalls): MarkupEngine {
  return function* read(reading) {
    if (!(yield* readCall(reading, form))) return false;
    while (yield* another(reading.cursor, readNext(reading, form))) continue;
    return true;
  };
}

function* readNext(reading: MarkupCursor, form: BraceCalls): Parse<boolean> {
  yield* reading.cursor.eatAnyAfterBlanks(form.begins);
  return yield* readCall(reading, form);
}

function* readCall(reading: MarkupCursor, form: BraceCalls): Parse<boolean> {
  const { cursor } = reading;
  if ((yield* cursor.eatAnyAfterBlanks(['call:'])) === undefined) return false;
  yield* cursor.skipBlanks();
  const name = yield* cursor.run(isNameCharacter, nameMax);
  yield* cursor.skipBlanks();
  if (name === '' || !(yield* cursor.sees('{'))) return false;
  if (!reading.begin({ name })) return false;
  yield* passValue(reading, form, 0);
  yield* cursor.eatAnyAfterBlanks(form.closes);
  return true;
}

/** Writes one value as JSON. Returns false if the value is incomplete or malformed. */
function* passValue(reading: MarkupCursor, form: BraceCalls, depth: number): Parse<boolean> {
  const { cursor, write } = reading;
  yield* cursor.skipBlanks();
  if (yield* cursor.eat(form.quote)) return yield* passString(reading, form);
  if (depth < depthMax && (yield* cursor.eat('{'))) return yield* passParts(reading, form, '}', depth);
  if (depth < depthMax && (yield* cursor.eat('['))) return yield* passParts(reading, form, ']', depth);
  const word = (yield* cursor.run(isWordCharacter, wordMax)).trimEnd();
  const isCutOff = cursor.isDrained && !reading.endsNaturally();
  if (!isCutOff) write(scalar.test(word) ? word : JSON.stringify(word.replace(/^"(.*)"$/, '$1')));
  return word !== '' && !isCutOff;
}

function* passString(reading: MarkupCursor, { quote }: BraceCalls): Parse<boolean> {
  const { cursor, write } = reading;
  write('"');
  const end = yield* cursor.passUntil([quote], (text) => write(jsonInside(text)));
  if (end !== undefined) cursor.at += end.length;
  if (end !== undefined || reading.endsNaturally()) write('"');
  return end !== undefined;
}

function* passParts(reading: MarkupCursor, form: BraceCalls, close: '}' | ']', depth: number): Parse<boolean> {
  const { cursor, write } = reading;
  write(close === '}' ? '{' : '[');
  for (let count = 0; ; count++) {
    yield* cursor.skipBlanks();
    if (yield* cursor.eat(close)) break;
    if (count > 0 && !(yield* cursor.eat(','))) return closeBroken(reading, close);
    if (count > 0 && (yield* cursor.eatAnyAfterBlanks([close]))) break;
    yield* cursor.skipBlanks();
    if (close === '}') {
      const key = yield* readKey(reading, form);
      if (key === undefined) return closeBroken(reading, close);
      write(`${count > 0 ? ', ' : ''}${JSON.stringify(key)}: `);
    } else if (count > 0) write(', ');
    if (!(yield* passValue(reading, form, depth + 1))) return closeBroken(reading, close);
  }
  write(close);
  return true;
}

function* readKey({ cursor }: MarkupCursor, { quote }: BraceCalls): Parse<string | undefined> {
  if (yield* cursor.eat(quote)) {
    const quoted = yield* cursor.until([quote], wordMax);
    cursor.at += quote.length;
    return (yield* cursor.eatAnyAfterBlanks([':'])) === undefined ? undefined : quoted;
  }
  const key = (yield* cursor.until([':', ',', '}', ']'], wordMax))?.trim();
  if (key === undefined || key === '' || !(yield* cursor.eat(':'))) return undefined;
  return key.replace(/^"(.*)"$/, '$1');
}

function closeBroken({ cursor, endsNaturally, write }: MarkupCursor, close: string): false {
  if (!cursor.isDrained || endsNaturally()) write(close);
  return false;
}

const scalar = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;

function isWordCharacter(code: number): boolean {
  return code !== 44 && code !== 125 && code !== 93 && code !== 60 && (code === 32 || !isBlank(code));
}
