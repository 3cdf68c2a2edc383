/** Where a text stops being JSON. Positions count from 1, columns in characters. */
export interface JsonFlaw {
  readonly line: number;
  readonly column: number;
  /** The text is a beginning of JSON but not a whole one. */
  readonly isTruncated: boolean;
}

/**
 * Finds the first place where the text breaks the grammar, for texts `JSON.parse` refused: its own messages quote the
 * content and often leave the position out. `undefined` means that the text is JSON after all.
 */
export function findJsonFlaw(text: string): JsonFlaw | undefined {
  const position = new Walk(text).firstFlaw();
  return position === undefined ? undefined : flawAt(text, position);
}

/** What the grammar allows next. */
type Expected = 'value' | 'value-or-close' | 'name' | 'name-or-close' | 'colon' | 'comma-or-close' | 'nothing';

class Walk {
  readonly #text: string;
  readonly #open: string[] = [];
  #expected: Expected = 'value';
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  firstFlaw(): number | undefined {
    for (;;) {
      this.#position = skip(whitespace, this.#text, this.#position);
      if (this.#position >= this.#text.length) break;
      const flaw = this.#step(this.#text[this.#position] ?? '');
      if (flaw !== undefined) return flaw;
    }
    return this.#expected === 'nothing' ? undefined : this.#text.length;
  }

  /** Takes one token, or returns where it is wrong. */
  #step(character: string): number | undefined {
    const expected = this.#expected;
    const takesValue = expected === 'value' || expected === 'value-or-close';
    const takesName = expected === 'name' || expected === 'name-or-close';
    if (character === '"' && (takesValue || takesName)) return this.#string(takesName);
    if ((character === '{' || character === '[') && takesValue) return this.#opened(character);
    if ((character === '}' || character === ']') && this.#closes(character)) return this.#closed();
    if (character === ':' && expected === 'colon') return this.#passed('value');
    if (character === ',' && expected === 'comma-or-close') {
      return this.#passed(this.#open.at(-1) === '{' ? 'name' : 'value');
    }
    return takesValue ? this.#scalar() : this.#position;
  }

  #opened(character: string): undefined {
    this.#open.push(character);
    this.#passed(character === '{' ? 'name-or-close' : 'value-or-close');
  }

  #closes(character: string): boolean {
    if (this.#open.at(-1) !== (character === '}' ? '{' : '[')) return false;
    if (this.#expected === 'comma-or-close') return true;
    return this.#expected === (character === '}' ? 'name-or-close' : 'value-or-close');
  }

  #closed(): undefined {
    this.#open.pop();
    this.#passed(this.#afterValue());
  }

  #passed(next: Expected): undefined {
    this.#position += 1;
    this.#expected = next;
  }

  #string(isName: boolean): number | undefined {
    for (;;) {
      const stop = skip(plainCharacters, this.#text, this.#position + 1);
      const character = this.#text[stop];
      if (character === '"') {
        this.#position = stop;
        return this.#passed(isName ? 'colon' : this.#afterValue());
      }
      const escapeEnd = character === '\\' ? skip(escape, this.#text, stop) : stop;
      if (escapeEnd === stop) return stop;
      this.#position = escapeEnd - 1;
    }
  }

  #scalar(): number | undefined {
    const end = skip(scalar, this.#text, this.#position);
    if (end === this.#position) return this.#position;
    this.#position = end;
    this.#expected = this.#afterValue();
    return undefined;
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? 'nothing' : 'comma-or-close';
  }
}

const whitespace = /[ \t\n\r]*/y;
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Where a match of the sticky pattern that starts here ends; the start itself when there is none. */
function skip(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

function flawAt(text: string, position: number): JsonFlaw {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < lineStart; at = text.indexOf('\n', at + 1)) line += 1;
  return { line, column: position - lineStart + 1, isTruncated: position >= text.length };
}
