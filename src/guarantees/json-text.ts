import { JsonCopy } from '../core/json-copy.ts';
import { blanksMax, JsonReader } from './json-reader.ts';

/**
 * One JSON value on its way, in whatever pieces it comes: what has been given out can still become valid. Raw control
 * characters in strings are escaped and commas before a closing bracket are left out.
 */
export class JsonText {
  readonly #copy = new JsonCopy({ repair: true });
  readonly #reader = new JsonReader();
  /** How much was taken since something was given out: blanks behind a comma. */
  #kept = 0;
  #words: string | undefined;

  get isDone(): boolean {
    return this.#reader.isDone;
  }

  /** Why the value cannot become valid any more. */
  get words(): string | undefined {
    return this.#words ?? this.#reader.words;
  }

  get isRepaired(): boolean {
    return this.#copy.hasRepaired;
  }

  /** What may go on of a piece, and where in it the value ends. */
  push(text: string): { readonly json: string; readonly end: number } {
    let json = '';
    const end = this.#copy.take(text, 0, (piece) => (json += piece));
    this.#kept = json === '' ? this.#kept + end : 0;
    if (this.#kept > blanksMax) this.#words = `more than ${blanksMax} blanks in a row`;
    this.#reader.push(json);
    if (!this.#copy.isDone && end < text.length) this.#words ??= '"<" cannot stand there';
    return { json, end };
  }

  /** The text is over: the brackets that were left open, if that is all that is missing. */
  close(): string {
    let json = '';
    this.#copy.close((piece) => (json += piece));
    this.#reader.push(json);
    this.#reader.end();
    return json;
  }
}
