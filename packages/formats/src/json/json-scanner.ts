/**
 * Scans JSON text that arrives in pieces of any size, each character once. It stops at marks and checks no grammar: the
 * caller decides which marks are allowed. It keeps no text.
 *
 * Marks in a string are its closing quote and raw control characters, which JSON forbids. Marks outside strings are
 * `{ } [ ] , "` and `<`, which may begin markup. With `strict`, every character outside strings that is not a blank is
 * a mark, and so is a character that makes an escape invalid.
 */
export class JsonScanner {
  readonly #isStrict: boolean;
  /** The closing brackets that are still missing, the outermost first. */
  readonly closers: string[] = [];
  isInString = false;
  /** The characters already read of an incomplete escape: the backslash, `u`, hexadecimal digits. */
  escapeLength = 0;

  constructor(options: { readonly strict: boolean }) {
    this.#isStrict = options.strict;
  }

  /** The index of the next mark, already applied, or the text's length. After a bad escape, `escapeLength` > 0. */
  next(text: string, from: number): number {
    if (this.isInString) return this.#nextInString(text, from);
    const at = this.#isStrict ? blanksEnd(text, from) : nextMark(text, from);
    const character = text.charAt(at);
    if (character === '"') this.isInString = true;
    else if (character === '{') this.closers.push('}');
    else if (character === '[') this.closers.push(']');
    else if (character === '}' || character === ']') this.closers.pop();
    return at;
  }

  #nextInString(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      if (this.escapeLength > 0) {
        if (!this.#continueEscape(text.charAt(at))) return at;
      } else {
        at = plainEnd(text, at);
        if (text.charAt(at) !== '\\') break;
        this.escapeLength = 1;
      }
      at++;
    }
    if (text.charAt(at) === '"') this.isInString = false;
    return at;
  }

  /** Returns false if the character makes the escape invalid. If not strict, any character completes an escape. */
  #continueEscape(character: string): boolean {
    const isFirst = this.escapeLength === 1;
    if (this.#isStrict && !(isFirst ? '"\\/bfnrtu' : '0123456789abcdefABCDEF').includes(character)) return false;
    const goesOn = this.#isStrict && (isFirst ? character === 'u' : this.escapeLength < lastDigit);
    this.escapeLength = goesOn ? this.escapeLength + 1 : 0;
    return true;
  }
}

/** The length of `\u` and three digits. */
const lastDigit = 5;

/** The end of the characters of a string before a quote, a backslash or a control character. */
function plainEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c || code < 0x20) break;
  }
  return at;
}

function blanksEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
  return at;
}

function nextMark(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isMark(text.charCodeAt(at))) at++;
  return at;
}

function isMark(code: number): boolean {
  // `{ [` and `} ]` differ from each other in one bit.
  const bracket = code | 0x20;
  return bracket === 0x7b || bracket === 0x7d || code === 0x22 || code === 0x2c || code === 0x3c;
}
