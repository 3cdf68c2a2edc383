import { Cursor, isBlank, isNameCharacter, type Parse } from './cursor.ts';
import { jsonEscapes, jsonInside, readHexDigits } from './json-text.ts';

/** Deeper nesting than this is an accident or an attack. */
const depthMax = 64;
const wordMax = 4096;

/** Converts a text that is one Python literal to JSON. Returns `undefined` if it is not a literal. */
export function pythonAsJson(text: string): string | undefined {
  if (!/^[[{('"]/.test(text)) return undefined;
  const cursor = new Cursor();
  cursor.push(text);
  cursor.isEnded = true;
  let json = '';
  const isLiteral = runToEnd(
    passPython(cursor, (piece) => {
      json += piece;
    }),
  );
  return isLiteral && cursor.isDrained ? json : undefined;
}

/** Writes a literal as JSON while it arrives, other text as a string. False if it is cut off or unbalanced. */
export function* passPython(cursor: Cursor, write: (json: string) => void, depth = 0): Parse<boolean> {
  if (!(yield* cursor.more())) return false;
  const first = cursor.text.charAt(cursor.at);
  if (first === '"' || first === "'") return yield* passString(cursor, write);
  if (depth < depthMax && '[({'.includes(first)) return yield* passParts(cursor, write, depth);
  const word = yield* cursor.run(isWordCharacter, wordMax);
  if (word === '') return false;
  write(wordAsJson(word.trimEnd()));
  return true;
}

function* passString(cursor: Cursor, write: (json: string) => void): Parse<boolean> {
  write('"');
  const isComplete = yield* passPythonString(cursor, (text) => write(jsonInside(text)));
  if (isComplete) write('"');
  return isComplete;
}

export function* passPythonString(cursor: Cursor, write: (text: string) => void): Parse<boolean> {
  const quote = (yield* cursor.eatAny(['"""', "'''"])) ?? cursor.take(1);
  for (;;) {
    const end = yield* cursor.passUntil([quote, '\\'], write);
    if (end === undefined) return false;
    cursor.at += end.length;
    if (end === quote) return true;
    write(yield* readEscape(cursor));
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ...jsonEscapes,
  ['0', '\0'],
  ['\n', ''],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['/', '/'],
]);

const codeLengths: ReadonlyMap<string, number> = new Map(Object.entries({ x: 2, u: 4, U: 8 }));

/** Python keeps an unknown escape as it is written. */
function* readEscape(cursor: Cursor): Parse<string> {
  if (!(yield* cursor.more())) return '';
  const letter = cursor.take(1);
  const length = codeLengths.get(letter);
  if (length === undefined) return escapes.get(letter) ?? `\\${letter}`;
  const digits = yield* readHexDigits(cursor, length);
  const code = Number.parseInt(digits, 16);
  if (digits.length < length || code > 0x10ffff) return `\\${letter}${digits}`;
  return String.fromCodePoint(code);
}

function* passParts(cursor: Cursor, write: (json: string) => void, depth: number): Parse<boolean> {
  const open = cursor.take(1);
  const isDictionary = open === '{';
  const close = isDictionary ? '}' : open === '[' ? ']' : ')';
  write(isDictionary ? '{' : '[');
  for (let count = 0; ; count++) {
    yield* cursor.skipBlanks();
    if (yield* cursor.eat(close)) break;
    if (count > 0) {
      if (!(yield* cursor.eat(','))) return false;
      if (yield* cursor.eatAnyAfterBlanks([close])) break;
      yield* cursor.skipBlanks();
      write(', ');
    }
    if (isDictionary && !(yield* passKey(cursor, write))) return false;
    if (!(yield* passPython(cursor, write, depth + 1))) return false;
  }
  write(isDictionary ? '}' : ']');
  return true;
}

/** Writes a key and its colon. The key becomes a string, because JSON allows only strings as keys. */
function* passKey(cursor: Cursor, write: (json: string) => void): Parse<boolean> {
  if ((yield* cursor.seesAny(['"', "'"])) !== undefined) {
    if (!(yield* passString(cursor, write))) return false;
  } else {
    const word = yield* cursor.run(isNameCharacter, wordMax);
    if (word === '') return false;
    write(JSON.stringify(word));
  }
  if ((yield* cursor.eatAnyAfterBlanks([':'])) === undefined) return false;
  write(': ');
  yield* cursor.skipBlanks();
  return true;
}

const words: ReadonlyMap<string, string> = new Map(
  Object.entries({ True: 'true', False: 'false', None: 'null', true: 'true', false: 'false', null: 'null' }),
);

function wordAsJson(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  const normalized = word.replace(/^\+/, '').replaceAll(/(?<=\d)_(?=\d)/g, '');
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(normalized)) return normalized;
  if (/^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(normalized)) return JSON.stringify(Number(normalized));
  return JSON.stringify(word);
}

function isWordCharacter(code: number): boolean {
  return code !== 44 && code !== 41 && code !== 93 && code !== 125 && (code === 32 || !isBlank(code));
}

function runToEnd<Result>(parse: Parse<Result>): Result {
  const step = parse.next();
  if (!step.done) throw new Error('The parser needs more text, but the text is complete.');
  return step.value;
}
