import { JsonCopy } from '../core/json/json-copy.ts';
import { answerLimits, JsonReader } from '../core/json/json-reader.ts';

const { blanksMax } = answerLimits;

/**
 * Copies one JSON value that arrives in pieces. The output so far can always still become valid. Escapes raw control
 * characters in strings and drops commas before a closing bracket.
 */
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
