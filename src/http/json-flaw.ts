/** The first syntax error of a text. Positions count from 1, columns in characters. */
export interface JsonFlaw {
  readonly line: number;
  readonly column: number;
  /** The text ends before the JSON is complete. */
  readonly isTruncated: boolean;
}

/**
 * Finds the first syntax error of a text that `JSON.parse` rejected. The messages of `JSON.parse` quote the content and
 * often lack the position. Returns undefined if the text is valid JSON.
 */
export function findJsonFlaw(text: string): JsonFlaw | undefined {
  const position = new Walk(text).firstFlaw();
  return position === undefined ? undefined : flawAt(text, position);
}

/** The token that the grammar allows next. */
type ExpectedToken = 'value' | 'value-or-close' | 'name' | 'name-or-close' | 'colon' | 'comma-or-close' | 'nothing';

class Walk {
  readonly #text: string;
  readonly #open: string[] = [];
  #expected: ExpectedToken = 'value';
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

  /** Consumes one token, or returns the position of the error. */
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

  #passed(next: ExpectedToken): undefined {
    this.#position += 1;
    this.#expected = next;
  }

  /** Compares character codes: one regular expression per escape would take seconds for a body full of escapes. */
  #string(isName: boolean): number | undefined {
    const text = this.#text;
    for (let at = this.#position + 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#position = at;
        return this.#passed(isName ? 'colon' : this.#afterValue());
      }
      if (code === backslash) {
        const end = endOfEscape(text, at);
        if (end === undefined) return at;
        at = end;
      } else if (!(code >= space)) {
        return at;
      }
    }
  }

  #scalar(): number | undefined {
    const end = skip(scalar, this.#text, this.#position);
    if (end === this.#position) return this.#position;
    this.#position = end;
    this.#expected = this.#afterValue();
    return undefined;
  }

  #afterValue(): ExpectedToken {
    return this.#open.length === 0 ? 'nothing' : 'comma-or-close';
  }
}

const whitespace = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The end of the sticky pattern's match at `start`; `start` itself if it does not match. */
function skip(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

const lineFeed = 0x0a;
const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;

/** The position of the last character of an escape; undefined if the escape is invalid. */
function endOfEscape(text: string, start: number): number | undefined {
  const letter = text[start + 1];
  if (letter === 'u') return /^[0-9a-fA-F]{4}$/.test(text.slice(start + 2, start + 6)) ? start + 5 : undefined;
  return letter !== undefined && '"\\/bfnrt'.includes(letter) ? start + 1 : undefined;
}

function flawAt(text: string, position: number): JsonFlaw {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < position; at += 1) {
    if (text.charCodeAt(at) !== lineFeed) continue;
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: position - lineStart + 1, isTruncated: position >= text.length };
}
