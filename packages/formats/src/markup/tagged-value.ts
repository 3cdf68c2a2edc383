import type { Parse } from './cursor.ts';
import { coerce, jsonOrString } from './coerce.ts';
import { jsonInside } from './json-text.ts';
import { type ValueTypes, valueTypes, itemSchema, partSchema } from './offered-tools.ts';
import { type MarkupCursor, headerMax } from './reading.ts';

interface TaggedValue {
  readonly trim: boolean;
  /** The encoding of the value, if its tag states it. Otherwise the schema decides. */
  readonly as: 'string' | 'json' | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly closes: readonly string[];
  readonly softCloses: readonly string[];
  readonly accept: (literal: string) => Parse<boolean>;
}

/** Maximum characters of a value that must be complete before it is written. A longer value is written as a string. */
const bufferMax = 1024 * 1024;

/** Writes the text of an argument as JSON: a string while it arrives, any other value when it is complete. */
export function* readTaggedValue(reading: MarkupCursor, value: TaggedValue): Parse<boolean> {
  const { cursor } = reading;
  const types: ValueTypes = value.as === 'string' ? new Set() : valueTypes(value.schema);
  const isString = value.as !== 'json' && [...types].every((type) => type === 'string');
  const target = new ValueWriter(reading.write, {
    trim: value.trim,
    asJson: isString ? undefined : (text) => (value.as === 'json' ? jsonOrString(text) : coerce(text, types)),
    isPerhapsNull: value.as === undefined && types.size === 2 && types.has('string') && types.has('null'),
  });
  const isCdata = yield* cursor.eat(cdataStart);
  const literals = isCdata ? cdataEnds : [...value.closes, ...value.softCloses];
  const end = yield* cursor.passUntil(literals, (text) => target.push(text), isCdata ? undefined : value.accept);
  if (end === undefined && !reading.endsNaturally()) {
    target.breakOff();
    return false;
  }
  target.end();
  if (end !== undefined && isCdata) cursor.at += end.length;
  yield* cursor.eatAny(value.closes);
  return end !== undefined;
}

const cdataStart = '<![CDATA[';
const cdataEnds = [']]>'];

interface ValueOptions {
  readonly trim: boolean;
  /** Converts the complete value to JSON. Undefined for strings, which are written as they arrive. */
  readonly asJson: ((text: string) => string) | undefined;
  /** The value is a string unless it is `null`. The first few characters decide. */
  readonly isPerhapsNull: boolean;
}

class ValueWriter {
  readonly #write: (json: string) => void;
  readonly #options: ValueOptions;
  #isStreaming: boolean;
  #hasBegun = false;
  /** Not written yet: the whole value, or a line break that may be the last. */
  #held = '';

  constructor(write: (json: string) => void, options: ValueOptions) {
    this.#write = write;
    this.#options = options;
    this.#isStreaming = options.asJson === undefined;
    if (this.#isStreaming) write('"');
  }

  push(text: string): void {
    this.#held += text;
    if (
      !this.#isStreaming &&
      (this.#held.length > bufferMax || (this.#options.isPerhapsNull && isNotNull(this.#held)))
    ) {
      this.#isStreaming = true;
      this.#write('"');
    }
    if (this.#isStreaming) this.#stream();
  }

  end(): void {
    const started = this.#trimmedStart(this.#held);
    const text = this.#options.trim ? started.replace(/\r?\n$/, '') : started;
    this.#write(this.#isStreaming ? `${jsonInside(text)}"` : (this.#options.asJson?.(text) ?? '""'));
  }

  /** Called when the text was cut off. Writes the text that is certain and leaves the value open. */
  breakOff(): void {
    if (this.#isStreaming) this.#write(jsonInside(this.#trimmedStart(this.#held)));
  }

  #stream(): void {
    if (this.#options.trim && !this.#hasBegun && '\r\n'.startsWith(this.#held)) return;
    const text = this.#trimmedStart(this.#held);
    const kept = this.#options.trim ? (/\r?\n?$/.exec(text)?.[0].length ?? 0) : 0;
    this.#hasBegun = true;
    this.#held = text.slice(text.length - kept);
    const ready = text.slice(0, text.length - kept);
    if (ready !== '') this.#write(jsonInside(ready));
  }

  #trimmedStart(text: string): string {
    return this.#options.trim && !this.#hasBegun ? text.replace(/^\r?\n/, '') : text;
  }
}

function isNotNull(text: string): boolean {
  const word = text.trimStart().toLowerCase();
  const rest = word.trimEnd();
  return !'null'.startsWith(rest) && !'none'.startsWith(rest);
}

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

/** Writes the text up to the tag's close as JSON, tags inside it as objects and lists. The tag is already taken. */
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
