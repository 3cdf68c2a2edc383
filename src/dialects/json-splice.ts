/**
 * Replaces the values of top-level members in the text of a JSON object. All other characters stay unchanged. If a name
 * occurs more than once, every occurrence is replaced, so that all JSON parsers read the same value. The text must be
 * valid JSON. It is read once, and names written with escapes are matched too.
 */
export function spliceMembers(text: string, values: ReadonlyMap<string, Replacement>): string {
  let spliced = '';
  let copied = 0;
  for (const { name, start, end } of membersIn(text)) {
    const value = values.get(name);
    if (value === undefined) continue;
    spliced += text.slice(copied, start) + (typeof value === 'string' ? value : value(text.slice(start, end)));
    copied = end;
  }
  return spliced + text.slice(copied);
}

/**
 * Removes members from the text of a JSON object. The others keep their text; the white space between them is dropped.
 */
export function withoutMembers(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = [];
  for (const { name, at, end } of membersIn(text)) if (!names.has(name)) kept.push(text.slice(at, end));
  return `{${kept.join(',')}}`;
}

/** A member of an object: `at` is the start of its name, `start` and `end` delimit its value. */
interface JsonMember {
  readonly name: string;
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

function* membersIn(text: string): Generator<JsonMember> {
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text.charCodeAt(at) === quote) {
    const nameEnd = endOfString(text, at);
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    yield { name: nameIn(text.slice(at, nameEnd)), at, start, end };
    // After the value comes a comma and the next name, or the end.
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
}

/** Replaces elements of a JSON list by index. A text that is not a list is returned unchanged. */
export function spliceElements(text: string, values: ReadonlyMap<number, Replacement>): string {
  if (text.charCodeAt(0) !== openingBracket) return text;
  let spliced = '';
  let copied = 0;
  let at = skipSpace(text, 1);
  for (let index = 0; at < text.length && text.charCodeAt(at) !== closingBracket; index += 1) {
    const end = endOfValue(text, at);
    const value = values.get(index);
    if (value !== undefined) {
      spliced += text.slice(copied, at) + (typeof value === 'string' ? value : value(text.slice(at, end)));
      copied = end;
    }
    const next = skipSpace(text, end);
    at = text.charCodeAt(next) === comma ? skipSpace(text, next + 1) : next;
  }
  return spliced + text.slice(copied);
}

/** Adds a member at the end of an object. */
export function appendMember(text: string, name: string, value: string): string {
  const end = text.lastIndexOf('}');
  const isEmpty = skipSpace(text, 1) === end;
  return `${text.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${value}${text.slice(end)}`;
}

/** The new value as JSON, or a function that computes it from the old one. */
export type Replacement = string | ((value: string) => string);

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

function nameIn(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      // The end of the object, directly after a number or literal.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === comma || isSpace(code))) return at;
    at += 1;
  }
  return at;
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === openingBracket;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === closingBracket;
}

/** Uses `indexOf`, because most of a body is long strings. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}
