/** A parser written as if all text were available. It yields only when it needs more text. */
export type Parse<Result> = Generator<void, Result, void>;

/** Maximum number of blanks between the marks of a format. A model that writes more is not writing a call. */
const blanksMax = 4096;

/**
 * The text that a parser reads. A method returns only when later text cannot change its result, so no decision depends
 * on how the provider split the text. After `mark`, `rollback` can restore the text taken.
 */
export class Cursor {
  text = '';
  at = 0;
  /** No more text will come, so methods decide with the text available. */
  isEnded = false;
  /** Since `mark`, a method returned early because the text had ended. */
  isShort = false;
  /** Characters examined so far, as a measure of the cost of reading. */
  steps = 0;
  /** Characters of the stream before `text`. */
  #base = 0;
  #kept: string[] | undefined;
  #markedAt = 0;

  get position(): number {
    return this.#base + this.at;
  }

  get isDrained(): boolean {
    return this.at === this.text.length;
  }

  /** Characters that `rollback` would restore. */
  get heldLength(): number {
    return this.#kept ? this.position - this.#markedAt : 0;
  }

  push(text: string): void {
    this.#forget();
    this.text = this.text === '' ? text : this.text + text;
  }

  /** After this call, `rollback` restores all text taken since. */
  mark(): void {
    this.#kept = undefined;
    this.#forget();
    this.#kept = [];
    this.isShort = false;
    this.#markedAt = this.position;
  }

  commit(): void {
    this.#kept = undefined;
  }

  rollback(): void {
    if (!this.#kept) throw new Error('rollback() was called without mark().');
    this.text = this.#kept.join('') + this.text;
    this.#base = this.#markedAt;
    this.at = 0;
    this.#kept = undefined;
  }

  take(length: number): string {
    const taken = this.text.slice(this.at, this.at + length);
    this.at += taken.length;
    return taken;
  }

  *more(): Parse<boolean> {
    while (this.at >= this.text.length) {
      if (this.isEnded) return this.#runShort(false);
      yield;
    }
    return true;
  }

  *sees(literal: string, offset = 0): Parse<boolean> {
    for (;;) {
      const from = this.at + offset;
      const length = this.text.length - from;
      this.steps++;
      if (length >= literal.length) return this.text.startsWith(literal, from);
      if (!literal.startsWith(this.text.slice(from))) return false;
      if (this.isEnded) return this.#runShort(false);
      yield;
    }
  }

  *seesAny(literals: readonly string[], offset = 0): Parse<string | undefined> {
    for (const literal of literals) if (yield* this.sees(literal, offset)) return literal;
    return undefined;
  }

  *eat(literal: string): Parse<boolean> {
    const isThere = yield* this.sees(literal);
    if (isThere) this.at += literal.length;
    return isThere;
  }

  *eatAny(literals: readonly string[]): Parse<string | undefined> {
    const found = yield* this.seesAny(literals);
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Takes one of the literals and the blanks before it, or nothing. */
  *eatAnyAfterBlanks(literals: readonly string[]): Parse<string | undefined> {
    if (literals.length === 0) return undefined;
    const blanks = yield* this.blanks();
    const found = yield* this.seesAny(literals, blanks);
    if (found !== undefined) this.at += blanks + found.length;
    return found;
  }

  /** Counts the blanks at an offset from the cursor. Counting stops at `max` + 1. */
  *blanks(max = blanksMax, offset = 0): Parse<number> {
    let count = 0;
    for (;;) {
      while (this.at + offset + count < this.text.length) {
        this.steps++;
        if (!isBlank(this.text.charCodeAt(this.at + offset + count)) || count > max) return count;
        count++;
      }
      if (this.isEnded) return this.#runShort(count);
      yield;
    }
  }

  *skipBlanks(): Parse<void> {
    const blanks = yield* this.blanks();
    this.at += blanks;
  }

  /** Takes a run of characters of a class. If the run is longer than `max`, takes nothing and returns ''. */
  *run(isMember: (code: number) => boolean, max: number): Parse<string> {
    let length = 0;
    for (;;) {
      while (this.at + length < this.text.length) {
        this.steps++;
        if (!isMember(this.text.charCodeAt(this.at + length))) return this.take(length);
        if (++length > max) return '';
      }
      if (this.isEnded) return this.#runShort(this.take(length));
      yield;
    }
  }

  /** Takes the text before the next of the literals. Returns `undefined` if none follows within `max` characters. */
  *until(literals: readonly string[], max: number): Parse<string | undefined> {
    const pieces: string[] = [];
    let length = 0;
    const found = yield* this.passUntil(literals, (piece) => {
      pieces.push(piece);
      length += piece.length;
      return length <= max;
    });
    return found === undefined || length > max ? undefined : pieces.join('');
  }

  /**
   * Writes text as it arrives until one of the literals follows, and returns that literal. Returns `undefined` at the
   * end of the text or when `write` returns false. Holds at most the beginning of a literal. `accept` may look further
   * ahead.
   */
  *passUntil(
    literals: readonly string[],
    write: (text: string) => boolean | void,
    accept?: (literal: string) => Parse<boolean>,
  ): Parse<string | undefined> {
    const firsts = new Set(literals.map((literal) => literal.charCodeAt(0)));
    while (yield* this.more()) {
      let end = this.at;
      while (end < this.text.length && !firsts.has(this.text.charCodeAt(end))) end++;
      this.steps += end - this.at + 1;
      if (end > this.at && write(this.take(end - this.at)) === false) return undefined;
      if (this.isDrained) continue;
      const found = yield* this.seesAny(literals);
      if (found !== undefined && (!accept || (yield* accept(found)))) return found;
      if (this.isDrained) continue;
      if (write(this.take(1)) === false) return undefined;
    }
    return undefined;
  }

  #runShort<Result>(result: Result): Result {
    this.isShort = true;
    return result;
  }

  #forget(): void {
    if (this.at === 0) return;
    this.#kept?.push(this.text.slice(0, this.at));
    this.text = this.text.slice(this.at);
    this.#base += this.at;
    this.at = 0;
  }
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

export function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
