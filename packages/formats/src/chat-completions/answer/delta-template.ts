import { closingQuote } from '../../json/json-tokens.ts';
import { isObject, parsedJson, type WireObject } from '../../wire-value.ts';

/** The text around the piece in which the chunks of one answer differ, so that later chunks need no parsing. */
export interface DeltaTemplate {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly choice: number;
  /** The text up to the opening quote of the piece, inclusive. */
  readonly prefix: string;
  /** The text from the closing quote on. */
  readonly suffix: string;
}

export interface TextOnlyDelta {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly choice: number;
  readonly key: string;
  readonly text: string;
}

/** Replaces the piece to test a template. No other JSON string, number or literal equals it. */
const probe = 'f1f2c0de-probe';

/**
 * Extracts the template from a chunk and tests it: with another piece inserted, the chunk must still be JSON and hold
 * only that piece. Then any JSON string fits there, since the bounds of a JSON string do not depend on its content.
 */
export function learnTemplate(
  payload: string,
  delta: TextOnlyDelta,
  read: (chunk: WireObject) => TextOnlyDelta | undefined,
): DeltaTemplate | undefined {
  const start = openingQuote(payload, delta.key) + 1;
  if (start === 0 || payload.includes(probe)) return undefined;
  const end = closingQuote(payload, start);
  if (end < 0) return undefined;
  const template = {
    type: delta.type,
    choice: delta.choice,
    prefix: payload.slice(0, start),
    suffix: payload.slice(end),
  };
  const tried = parsedJson(template.prefix + probe + template.suffix);
  const reread = isObject(tried) ? read(tried) : undefined;
  const isSame = reread?.text === probe && reread.type === delta.type && reread.choice === delta.choice;
  return isSame ? template : undefined;
}

export function matchTemplate(template: DeltaTemplate, payload: string): string | undefined {
  const { prefix, suffix } = template;
  const end = payload.length - suffix.length;
  // Slices are compared as blocks of memory. startsWith and endsWith compare single characters and take ten times as
  // long.
  if (end < prefix.length || payload.slice(end) !== suffix || payload.slice(0, prefix.length) !== prefix)
    return undefined;
  const piece = payload.slice(prefix.length, end);
  return special.test(piece) ? unescaped(piece) : piece;
}

// oxlint-disable-next-line no-control-regex -- control characters are what JSON strings may not hold
const special = /["\\\u0000-\u001f]/;

/** An unescaped quote ends the string early: then the chunk only looks like the template. */
function unescaped(piece: string): string | undefined {
  const value = parsedJson(`"${piece}"`);
  return typeof value === 'string' ? value : undefined;
}

/** The index of the opening quote of the string under a key, or -1. */
function openingQuote(payload: string, key: string): number {
  const name = `"${key}"`;
  const at = payload.indexOf(name);
  if (at < 0) return -1;
  const [before = ''] = /^\s*:\s*/.exec(payload.slice(at + name.length, at + name.length + 16)) ?? [];
  const quote = at + name.length + before.length;
  return before !== '' && payload[quote] === '"' ? quote : -1;
}
