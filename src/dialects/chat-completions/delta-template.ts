import { isObject, parsedJson, type WireObject } from '../wire-value.ts';

/**
 * The chunks of one answer differ in nothing but the piece of text they bring. From one chunk that was read in full, a
 * template remembers what stands before and after that piece, so that later chunks need no parsing.
 */
export interface DeltaTemplate {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly choice: number;
  /** Up to and with the opening quote of the piece. */
  readonly prefix: string;
  /** From the closing quote on. */
  readonly suffix: string;
}

/** A chunk that says nothing besides one piece of text, and under which key. */
export interface PlainDelta {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly choice: number;
  readonly key: string;
  readonly text: string;
}

/** Stands where the piece was when a template is tried out; no JSON string, number or word can be mistaken for it. */
const probe = 'f1f2c0de-probe';

/**
 * Cuts the template out of a chunk. It is tried out before it is trusted: with another piece in place, the chunk must
 * still be JSON and say only that piece. Then any JSON string fits there, since where a string begins and ends in JSON
 * does not depend on what it holds.
 */
export function learnTemplate(
  payload: string,
  plain: PlainDelta,
  read: (chunk: WireObject) => PlainDelta | undefined,
): DeltaTemplate | undefined {
  const start = openingQuote(payload, plain.key) + 1;
  if (start === 0 || payload.includes(probe)) return undefined;
  const end = closingQuote(payload, start);
  if (end < 0) return undefined;
  const template = {
    type: plain.type,
    choice: plain.choice,
    prefix: payload.slice(0, start),
    suffix: payload.slice(end),
  };
  const tried = parsedJson(template.prefix + probe + template.suffix);
  const found = isObject(tried) ? read(tried) : undefined;
  const isSame = found?.text === probe && found.type === plain.type && found.choice === plain.choice;
  return isSame ? template : undefined;
}

/** The piece of text in a chunk made after the template, or `undefined` for every other chunk. */
export function matchTemplate(template: DeltaTemplate, payload: string): string | undefined {
  const { prefix, suffix } = template;
  const end = payload.length - suffix.length;
  // Slices are compared as blocks of memory; startsWith and endsWith go character by character and cost ten times that.
  if (end < prefix.length || payload.slice(end) !== suffix || payload.slice(0, prefix.length) !== prefix)
    return undefined;
  const piece = payload.slice(prefix.length, end);
  return special.test(piece) ? unescaped(piece) : piece;
}

// oxlint-disable-next-line no-control-regex -- control characters are what JSON strings may not hold
const special = /["\\\u0000-\u001f]/;

/** A quote that is not escaped ends the string early: then the chunk only looks like the template. */
function unescaped(piece: string): string | undefined {
  const value = parsedJson(`"${piece}"`);
  return typeof value === 'string' ? value : undefined;
}

/** Where the string under a key begins, or -1. */
function openingQuote(payload: string, key: string): number {
  const name = `"${key}"`;
  const at = payload.indexOf(name);
  if (at < 0) return -1;
  const [before = ''] = /^\s*:\s*/.exec(payload.slice(at + name.length, at + name.length + 16)) ?? [];
  const quote = at + name.length + before.length;
  return before !== '' && payload[quote] === '"' ? quote : -1;
}

function closingQuote(payload: string, start: number): number {
  for (let at = start; at < payload.length; at++) {
    const character = payload[at];
    if (character === '"') return at;
    if (character === '\\') at++;
  }
  return -1;
}
