import { type Cursor, type Parse, isBlank } from './cursor.ts';
import { readArguments, passJsonString, readJsonString } from './json-text.ts';
import { JsonCopy } from '../json/json-copy.ts';
import { safeJson } from '../json/safe-json.ts';
import { type MarkupEngine, headerMax, nameMax, type MarkupCursor, separatedCalls } from './reading.ts';

/** Call format: JSON, as one object, a list of objects, or one object after the other. */
export interface JsonCalls {
  /** Marks that must follow the opener before the JSON, with any blanks between. */
  readonly marks?: readonly string[];
  /** Marks that may follow the opener, such as a code fence. */
  readonly fence?: readonly string[];
  readonly closes: readonly string[];
  /** Each object has one key, the name, whose value is the arguments. */
  readonly nameAsKey?: true;
  /** Names that mean that no tool is called. */
  readonly noopNames?: readonly string[];
  readonly idKeys?: readonly string[];
  /** Only an object with arguments is a call. Nothing else distinguishes it from an answer in JSON. */
  readonly needsArguments?: true;
}

const nameKeys: ReadonlySet<string> = new Set(['name', 'tool_name']);
const argumentKeys: ReadonlySet<string> = new Set(['arguments', 'parameters', 'args']);

/** Limits for the text before the name that is not part of it. */
const unknownMax = 8 * 1024;
const earlyArgumentsMax = 64 * 1024;

export function jsonCalls(form: JsonCalls): MarkupEngine {
  return function* read(reading) {
    const { cursor } = reading;
    for (const mark of form.marks ?? []) {
      yield* cursor.skipBlanks();
      if (!(yield* cursor.eat(mark))) return false;
    }
    yield* cursor.eatAnyAfterBlanks(form.fence ?? []);
    yield* cursor.skipBlanks();
    const isList = yield* cursor.eat('[');
    if (isList && (yield* cursor.eatAnyAfterBlanks([']']))) {
      if (form.needsArguments) return false;
      reading.dismiss();
    } else {
      if (isList) yield* cursor.skipBlanks();
      if (!(yield* separatedCalls(cursor, () => readCall(reading, form)))) return false;
      if (isList) yield* cursor.eatAnyAfterBlanks([']']);
    }
    yield* cursor.eatAnyAfterBlanks(form.closes);
    return true;
  };
}

interface Header {
  name?: string;
  id?: string;
  early?: string;
}

/** Reads one object that describes a call. Its keys may be in any order. */
function* readCall(reading: MarkupCursor, form: JsonCalls): Parse<boolean> {
  const { cursor } = reading;
  const header: Header = {};
  if (!(yield* cursor.eat('{'))) return false;
  for (;;) {
    yield* cursor.skipBlanks();
    if (yield* cursor.eat('}')) return begin(reading, form, header);
    const key = yield* readKey(cursor);
    if (key === undefined) return false;
    if (form.nameAsKey) header.name = key;
    if (form.nameAsKey || argumentKeys.has(key)) {
      if (header.name !== undefined) return yield* readBody(reading, form, header);
      const early = yield* capture(cursor, earlyArgumentsMax);
      if (early === undefined) return false;
      header.early = early;
    } else if (nameKeys.has(key) || (key === 'function' && !(yield* cursor.sees('{')))) {
      const name = yield* readJsonString(cursor, nameMax);
      if (name === undefined) return false;
      header.name = name;
    } else if (key === 'function') return yield* readWrapped(reading, form);
    else if (form.idKeys?.includes(key)) {
      const id = yield* readJsonString(cursor, headerMax);
      if (id === undefined) return false;
      header.id = id;
    } else if ((yield* capture(cursor, unknownMax)) === undefined) return false;
    if (cursor.heldLength > unknownMax + (header.early?.length ?? 0)) return false;
    yield* cursor.eatAnyAfterBlanks([',']);
  }
}

function* readKey(cursor: Cursor): Parse<string | undefined> {
  const key = yield* readJsonString(cursor, headerMax);
  if (key === undefined || (yield* cursor.eatAnyAfterBlanks([':'])) === undefined) return undefined;
  yield* cursor.skipBlanks();
  return key;
}

/** Called at the end of the object: its arguments came before the name, or there are none. */
function begin(reading: MarkupCursor, form: JsonCalls, header: Header): boolean {
  if (header.name === undefined || (form.needsArguments && header.early === undefined)) return false;
  if (!announce(reading, form, header)) return false;
  if (!isNoop(form, header)) reading.write(unpackArguments(header.early));
  return true;
}

function* readBody(reading: MarkupCursor, form: JsonCalls, header: Header): Parse<boolean> {
  if (!announce(reading, form, header)) return false;
  const write = isNoop(form, header) ? () => undefined : reading.write;
  yield* readArguments(reading, { write, closes: form.closes });
  yield* leave(reading.cursor, form.closes);
  return true;
}

/** Reads a call as the chat-completions format writes it, one object deeper. */
function* readWrapped(reading: MarkupCursor, form: JsonCalls): Parse<boolean> {
  const isCall = yield* readCall(reading, form);
  if (isCall) yield* leave(reading.cursor, form.closes);
  return isCall;
}

function announce(reading: MarkupCursor, form: JsonCalls, header: Header): boolean {
  if (isNoop(form, header)) {
    reading.dismiss();
    return true;
  }
  return reading.begin({ name: header.name ?? '', id: header.id });
}

function isNoop(form: JsonCalls, { name = '' }: Header): boolean {
  return form.noopNames?.includes(name) ?? false;
}

/** Skips the text after the arguments, as far as it can be parsed. */
function* leave(cursor: Cursor, closes: readonly string[]): Parse<void> {
  for (;;) {
    const blanks = yield* cursor.blanks();
    if ((yield* cursor.seesAny(closes, blanks)) !== undefined) return;
    const mark = yield* cursor.seesAny([',', '}', '"'], blanks);
    if (mark === undefined) return;
    cursor.at += blanks;
    if (mark !== '"') cursor.at++;
    if (mark === '}') return;
    if (mark !== '"') continue;
    yield* passJsonString(cursor, () => undefined);
    if (yield* cursor.eatAnyAfterBlanks([':'])) {
      yield* cursor.skipBlanks();
      yield* capture(cursor, unknownMax);
    }
  }
}

/** Takes one JSON value of any type and returns its text, or `undefined` if there is none or it is too long. */
function* capture(cursor: Cursor, max: number): Parse<string | undefined> {
  if (!(yield* cursor.more())) return undefined;
  const first = cursor.text.charAt(cursor.at);
  if (first === '"') {
    const text = yield* readJsonString(cursor, max);
    return text === undefined ? undefined : JSON.stringify(text);
  }
  if (first !== '{' && first !== '[') return (yield* cursor.run(isWord, headerMax)) || undefined;
  const json = new JsonCopy({ repair: false });
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  while (!json.isDone && text.length <= max && (yield* cursor.more())) {
    const limit = Math.min(cursor.text.length, cursor.at + max);
    const before = cursor.at;
    cursor.at = json.take(limit === cursor.text.length ? cursor.text : cursor.text.slice(0, limit), cursor.at, write);
    cursor.steps += cursor.at - before + 1;
    if (!json.isDone && cursor.at < limit) return undefined;
  }
  return json.isDone && text.length <= max ? text : undefined;
}

function isWord(code: number): boolean {
  return !isBlank(code) && code !== 44 && code !== 125 && code !== 93;
}

/** Arguments before the name: an object unchanged, a string unpacked, `{}` for nothing. */
function unpackArguments(early: string | undefined): string {
  if (early === undefined || early === 'null') return '{}';
  if (!early.startsWith('"')) return early;
  const inner = safeJson(early);
  return typeof inner === 'string' && inner.trim() !== '' ? inner : '{}';
}
