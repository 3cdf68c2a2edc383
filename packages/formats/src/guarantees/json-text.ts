import { JsonCopy } from '../json/json-copy.ts';
import { answerLimits, JsonReader, readJson } from '../json/json-reader.ts';

const { blanksMax } = answerLimits;

/** Copies JSON that arrives in pieces and can still become valid. Escapes raw controls, drops trailing commas. */
export class JsonText {
  readonly #copy = new JsonCopy({ repair: true });
  readonly #reader = new JsonReader();
  /** Characters taken since the last output: blanks after a comma. */
  #kept = 0;
  #words: string | undefined;

  get isDone(): boolean {
    return this.#reader.isDone;
  }

  get words(): string | undefined {
    return this.#words ?? this.#reader.words;
  }

  get isRepaired(): boolean {
    return this.#copy.hasRepaired;
  }

  /** Returns the output for a piece, and the index where the value ends in it. */
  push(text: string): { readonly json: string; readonly end: number } {
    let json = '';
    const end = this.#copy.take(text, 0, (piece) => (json += piece));
    this.#kept = json === '' ? this.#kept + end : 0;
    if (this.#kept > blanksMax) this.#words = `more than ${blanksMax} blanks in a row`;
    this.#reader.push(json);
    if (!this.#copy.isDone && end < text.length) this.#words ??= '"<" is not allowed there';
    return { json, end };
  }

  /** Ends the text. Returns the missing closing brackets, if nothing else is missing. */
  close(): string {
    let json = '';
    this.#copy.close((piece) => (json += piece));
    this.#reader.push(json);
    this.#reader.end();
    return json;
  }
}

/** Blanks and the start of a code block, which models write before an answer in JSON. */
const leadIn = /^\s*(?:```[\w-]*\s*)?/;
const partOfFence = /^\s*`{1,2}$/;

/** Returns the text after the leading blanks and code fence, or undefined if there is none yet. */
export function afterLeadIn(text: string): string | undefined {
  const rest = text.slice(leadIn.exec(text)?.[0].length ?? 0);
  return rest === '' || partOfFence.test(text) ? undefined : rest;
}

/**
 * Returns the only JSON value in a text, whatever text is around it. Returns undefined if there is none or more than
 * one. A structure begins with one of `roots`. Other values count only if `takesOthers` is set and they are the whole
 * text.
 */
export function extractJson(text: string, roots: string, takesOthers: boolean): string | undefined {
  const inner = removeFence(text);
  if ((takesOthers || roots.includes(inner.charAt(0))) && inner !== '' && readJson(inner).isComplete) return inner;
  const found: string[] = [];
  // Text that was already read is skipped: an object inside a malformed one does not count.
  for (let at = nextRoot(text, 0, roots); at !== -1 && found.length < 2; ) {
    const reader = new JsonReader();
    const end = reader.push(text, at);
    if (reader.isDone) found.push(text.slice(at, end));
    at = nextRoot(text, Math.max(end, at + 1), roots);
  }
  return found.length === 1 ? found[0] : undefined;
}

function removeFence(text: string): string {
  const [, inside] = /^\s*```[\w-]*\s([^]*)```\s*$/.exec(text) ?? [];
  return (inside ?? text).trim();
}

function nextRoot(text: string, from: number, roots: string): number {
  for (let at = from; at < text.length; at++) if (roots.includes(text.charAt(at))) return at;
  return -1;
}
