import { safeJson } from './safe-json.ts';
import { tokenEnd, tokenStart } from './json-tokens.ts';

/** The text of each member of a JSON object. Of several with one name it is the last, as for a parser. */
export function membersOf(text: string): ReadonlyMap<string, string> {
  return new Map([...membersIn(text)].map(({ key, start, end }) => [key, text.slice(start, end)]));
}

/** The same JSON on one line. A string has no raw line break, so only white space changes. */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ');
}

/** Replaces values of members in the text of a JSON object: every occurrence of a name, and no other character. */
export function spliceMembers(text: string, values: ReadonlyMap<string, Replacement>): string {
  return splice(text, membersIn(text), values);
}

/** Replaces elements of a JSON list by index. A text that is not a list is returned unchanged. */
export function spliceElements(text: string, values: ReadonlyMap<number, Replacement>): string {
  return text.startsWith('[') ? splice(text, elementsIn(text), values) : text;
}

/** Removes members from a JSON object. The others keep their text; white space between them is dropped. */
export function withoutMembers(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = [];
  for (const { key, at, end } of membersIn(text)) if (!names.has(key)) kept.push(text.slice(at, end));
  return `{${kept.join(',')}}`;
}

export function appendMember(text: string, name: string, value: string): string {
  const end = text.lastIndexOf('}');
  const isEmpty = tokenStart(text, 1) === end;
  return `${text.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${value}${text.slice(end)}`;
}

/** Replaces the value of a member, or adds the member at the end of the object. `value` gets the old one. */
export function setMember(text: string, name: string, value: (old: string | undefined) => string): string {
  let isPresent = false;
  const replace = (old: string): string => {
    isPresent = true;
    return value(old);
  };
  const replaced = spliceMembers(text, new Map([[name, replace]]));
  return isPresent ? replaced : appendMember(text, name, value(undefined));
}

/** The new value as JSON, or a function that computes it from the old one. */
export type Replacement = string | ((value: string) => string);

/** A member of an object or an element of a list. It begins `at` its name; `start` and `end` delimit its value. */
interface JsonPart<Key> {
  readonly key: Key;
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

function splice<Key>(text: string, parts: Iterable<JsonPart<Key>>, values: ReadonlyMap<Key, Replacement>): string {
  let spliced = '';
  let copied = 0;
  for (const { key, start, end } of parts) {
    const value = values.get(key);
    if (value === undefined) continue;
    spliced += text.slice(copied, start) + (typeof value === 'string' ? value : value(text.slice(start, end)));
    copied = end;
  }
  return spliced + text.slice(copied);
}

function* membersIn(text: string): Generator<JsonPart<string>> {
  let at = tokenStart(text, text.indexOf('{') + 1);
  while (text.charAt(at) === '"') {
    const nameEnd = tokenEnd(text, at);
    const start = tokenStart(text, nameEnd);
    const end = endOfValue(text, start);
    yield { key: nameIn(text.slice(at, nameEnd)), at, start, end };
    at = tokenStart(text, end);
  }
}

function* elementsIn(text: string): Generator<JsonPart<number>> {
  let start = tokenStart(text, 1);
  for (let key = 0; start < text.length && text.charAt(start) !== ']'; key++) {
    const end = endOfValue(text, start);
    yield { key, at: start, start, end };
    start = tokenStart(text, end);
  }
}

function nameIn(literal: string): string {
  return literal.includes('\\') ? String(safeJson(literal)) : literal.slice(1, -1);
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at = tokenStart(text, at)) {
    const first = text.charAt(at);
    if (first === '{' || first === '[') depth += 1;
    else if (first === '}' || first === ']') depth -= 1;
    at = tokenEnd(text, at);
    if (depth <= 0 || at >= text.length) return at;
  }
}
