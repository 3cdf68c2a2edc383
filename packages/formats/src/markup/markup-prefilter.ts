import { isBlank } from './cursor.ts';
import type { Grammar } from './grammar.ts';

/** Blanks before the first mark. A model that writes more is not about to write a mark, and the client waits. */
export const firstBlanksMax = 64;

/** Decides by characters alone whether a text may contain a mark. A literal is its JSON, one character per byte. */
export class MarkupPrefilter {
  readonly #openers: ReadonlySet<number> | undefined;
  readonly #literalOpeners: ReadonlySet<number> | undefined;
  readonly #firsts: RegExp;
  readonly #marks: RegExp;
  readonly #literalMarks: RegExp;

  constructor(grammar: Grammar) {
    const openers = grammar.tries.some(({ isAnywhere }) => isAnywhere)
      ? undefined
      : new Set(grammar.tries.flatMap(({ firsts }) => firsts));
    const marks = [...new Set([...grammar.firsts, backtick])];
    this.#openers = openers;
    // An escape may encode a blank or any other character.
    this.#literalOpeners =
      openers && new Set([backslash, ...[...openers].flatMap((code) => literalBytes(code).slice(0, 1))]);
    this.#firsts = new RegExp(`[${grammar.firsts.map(escapeCode).join('')}]`, 'g');
    this.#marks = new RegExp(`[${marks.map(escapeCode).join('')}]`);
    this.#literalMarks = new RegExp(marks.map((code) => literalBytes(code).map(escapeCode).join('')).join('|'));
  }

  /** Whether an answer certainly begins with words. False for blanks alone: a mark may follow. */
  beginsWithWords(text: string): boolean {
    return beginsWithWords(text, this.#openers);
  }

  literalBeginsWithWords(literal: string): boolean {
    return beginsWithWords(literal, this.#literalOpeners);
  }

  /** Index of the next character that may begin a mark, or the end of the text. */
  next(text: string, from: number): number {
    this.#firsts.lastIndex = from;
    return this.#firsts.exec(text)?.index ?? text.length;
  }

  /** Whether the text may contain a mark, or code may begin or end in it. */
  isMarked(text: string): boolean {
    return this.#marks.test(text);
  }

  isLiteralMarked(literal: string): boolean {
    return this.#literalMarks.test(literal);
  }
}

export function prefilterFor(grammar: Grammar): MarkupPrefilter {
  let known = byGrammar.get(grammar);
  if (!known) byGrammar.set(grammar, (known = new MarkupPrefilter(grammar)));
  return known;
}

const byGrammar = new WeakMap<Grammar, MarkupPrefilter>();
const backtick = 0x60;
const backslash = 0x5c;

function beginsWithWords(text: string, openers: ReadonlySet<number> | undefined): boolean {
  const end = Math.min(text.length, firstBlanksMax + 1);
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!isBlank(code)) return openers !== undefined && !openers.has(code);
  }
  return false;
}

/** A character as it appears in a literal. A character that JSON escapes is found by its backslash. */
function literalBytes(code: number): readonly number[] {
  return code < 0x20 || code === 0x22 ? [backslash] : [...new TextEncoder().encode(String.fromCharCode(code))];
}

function escapeCode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
