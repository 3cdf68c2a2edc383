import { JsonScanner } from './json-scanner.ts';

/**
 * Copies one JSON object or list from streamed text up to its end: where its brackets are balanced, ignoring the
 * content of strings. Raw control characters in strings, which JSON forbids, are escaped. With `repair`, commas before a
 * closing bracket are removed, and `close` adds missing brackets.
 */
export class JsonCopy {
  readonly #isRepairing: boolean;
  readonly #scanner = new JsonScanner({ strict: false });
  /** A comma and the whitespace after it, until the next character is known. */
  #comma = '';
  /** The complete value has been copied. */
  isDone = false;
  hasRepaired = false;

  constructor(options: { readonly repair: boolean }) {
    this.#isRepairing = options.repair;
  }

  /** Returns where it stopped: at the end, after the value, or before a `<` outside strings. */
  take(text: string, from: number, write: (json: string) => void): number {
    let at = from;
    while (at < text.length && !this.isDone) {
      const wasInString = this.#scanner.isInString;
      const mark = this.#scanner.next(text, at);
      if (mark > at) this.#writeText(text.slice(at, mark), write);
      if (mark === text.length) return mark;
      const character = text.charAt(mark);
      if (wasInString && this.#scanner.isInString) {
        this.hasRepaired = true;
        write(JSON.stringify(character).slice(1, -1));
      } else if (character === '<') return mark;
      else this.#takeMark(character, write);
      at = mark + 1;
    }
    return at;
  }

  /** Copies a `<` that is not markup but part of the model's output. */
  takeStray(write: (json: string) => void): void {
    this.#release(write);
    write('<');
  }

  /** Closes a value that the model left open, if repair is on and the missing brackets are certain. */
  close(write: (json: string) => void): void {
    const { closers, isInString } = this.#scanner;
    if (this.isDone || !this.#isRepairing || closers.length === 0 || isInString) return;
    this.hasRepaired = true;
    this.isDone = true;
    this.#comma = '';
    write(closers.toReversed().join(''));
  }

  #takeMark(character: string, write: (json: string) => void): void {
    if (character === '}' || character === ']') {
      if (this.#comma !== '') this.hasRepaired = true;
      this.#comma = this.#comma.slice(1);
      this.isDone = this.#scanner.closers.length === 0;
    }
    this.#release(write);
    if (character === ',' && this.#isRepairing) this.#comma = ',';
    else write(character);
  }

  #writeText(text: string, write: (json: string) => void): void {
    if (this.#comma !== '' && text.trim() === '') this.#comma += text;
    else {
      this.#release(write);
      write(text);
    }
  }

  #release(write: (json: string) => void): void {
    if (this.#comma !== '') write(this.#comma);
    this.#comma = '';
  }
}
