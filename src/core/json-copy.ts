/**
 * Copies one JSON object or list from streamed text, character by character, up to its end: where its brackets are
 * balanced, ignoring the content of strings. Raw control characters in strings, which JSON forbids, are escaped. With
 * `repair`, commas before a closing bracket are removed, and `close` adds missing brackets.
 */
export class JsonCopy {
  readonly #isRepairing: boolean;
  #closers = '';
  #inString = false;
  #isEscaped = false;
  /** A comma and the whitespace after it, until the next character is known. */
  #comma = '';
  /** The complete value has been copied. */
  isDone = false;
  hasRepaired = false;

  constructor(options: { readonly repair: boolean }) {
    this.#isRepairing = options.repair;
  }

  /**
   * Copies from a position and returns where it stopped: at the end, after the value, or before a `<` outside strings.
   */
  take(text: string, from: number, write: (json: string) => void): number {
    let at = from;
    while (at < text.length && !this.isDone) {
      const next = this.#inString ? this.#takeString(text, at, write) : this.#takeStructure(text, at, write);
      if (next === at) return at;
      at = next;
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
    if (this.isDone || !this.#isRepairing || this.#closers === '' || this.#inString) return;
    this.hasRepaired = true;
    this.isDone = true;
    this.#comma = '';
    write(this.#closers);
  }

  #takeString(text: string, from: number, write: (json: string) => void): number {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      write(text.slice(from, from + 1));
      return from + 1;
    }
    specialInString.lastIndex = from;
    const at = specialInString.exec(text)?.index ?? text.length;
    if (at > from) write(text.slice(from, at));
    if (at === text.length) return at;
    const character = text.charAt(at);
    if (character === '"') this.#inString = false;
    else if (character === '\\') this.#isEscaped = true;
    else this.hasRepaired = true;
    write(character === '"' || character === '\\' ? character : JSON.stringify(character).slice(1, -1));
    return at + 1;
  }

  #takeStructure(text: string, from: number, write: (json: string) => void): number {
    structural.lastIndex = from;
    const at = structural.exec(text)?.index ?? text.length;
    if (at > from) this.#writeText(text.slice(from, at), write);
    if (at === text.length) return at;
    const character = text.charAt(at);
    if (character === '<') return at;
    if (character === ',' && this.#isRepairing) {
      this.#release(write);
      this.#comma = ',';
      return at + 1;
    }
    this.#bracket(character, write);
    write(character);
    return at + 1;
  }

  #bracket(character: string, write: (json: string) => void): void {
    if (character === '}' || character === ']') {
      if (this.#comma !== '') this.hasRepaired = true;
      this.#comma = this.#comma.slice(1);
      this.#closers = this.#closers.slice(1);
      this.isDone = this.#closers === '';
    } else if (character === '"') this.#inString = true;
    else if (character !== ',') this.#closers = (character === '{' ? '}' : ']') + this.#closers;
    this.#release(write);
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

// oxlint-disable-next-line no-control-regex -- JSON strings may not contain control characters
const specialInString = /["\\\u0000-\u001f]/g;
const structural = /["{}[\]<,]/g;
