/** Maximum nesting. It also bounds the recursion of code that walks through a value. */
const depthMax = 128;
/** Maximum blanks between two tokens. Some models write blanks until they are stopped. */
export const blanksMax = 1024;
/** A number with more digits may change when it is parsed and serialised again. */
const exactDigitsMax = 15;

/** The tokens allowed next, outside strings, numbers and literal words. */
type JsonState = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/**
 * Reads one JSON value in pieces of any size, each character once. Reports as early as possible that the text cannot
 * become valid. Builds no value and keeps no text.
 */
export class JsonReader {
  /** For each open bracket, whether it belongs to an object. */
  readonly #open: boolean[] = [];
  #state: JsonState = 'value';
  #token: 'none' | 'string' | 'name' | 'number' | 'word' = 'none';
  /** The state inside a token: the rest of an escape in a string, the state of a number, the rest of a word. */
  #escape: 'none' | 'begun' | 1 | 2 | 3 | 4 = 'none';
  #number: NumberState = 'start';
  #word = '';
  #blanks = 0;
  #digits = 0;
  /** Characters read before, and their offset relative to the current text. */
  #read = 0;
  #offset = 0;
  /** Why the text cannot be JSON. */
  words: string | undefined;
  hasExactNumbers = true;

  /** Whether the value is complete: a closed object, list or string, or a word. A number ends only with the text. */
  get isDone(): boolean {
    return this.#state === 'nothing' && this.#token === 'none';
  }

  /** Reads from an index and returns where it stopped: at the end of the text, after the value, or at an error. */
  push(text: string, from = 0): number {
    this.#offset = this.#read - from;
    let at = from;
    while (at < text.length && !this.isDone && this.words === undefined) {
      at = this.#token === 'none' ? this.#structure(text, at) : this.#inToken(text, at);
    }
    this.#read += at - from;
    return at;
  }

  /** Ends the text. Returns whether a complete value has been read. */
  end(): boolean {
    if (this.#token === 'number') this.#endNumber();
    if (!this.isDone) this.words ??= `it ends after ${this.#read} characters before it is complete`;
    return this.words === undefined;
  }

  #inToken(text: string, at: number): number {
    switch (this.#token) {
      case 'number':
        return this.#inNumber(text, at);
      case 'word':
        return this.#inWord(text, at);
      default:
        return this.#inString(text, at);
    }
  }

  #structure(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || code === 13 || code === 9) {
      if (++this.#blanks > blanksMax) this.words = `more than ${blanksMax} blanks in a row`;
      return at + 1;
    }
    this.#blanks = 0;
    if (!this.#mark(text.charAt(at)))
      this.words = `${quoted(text, at)} at character ${this.#offset + at} is not allowed there`;
    return this.words === undefined ? at + 1 : at;
  }

  /** Takes a character outside strings, numbers and words. Returns false if it is not allowed here. */
  #mark(character: string): boolean {
    const state = this.#state;
    switch (character) {
      case '}':
        return (state === 'name-or-end' || (state === 'comma-or-end' && this.#open.at(-1) === true)) && this.#close();
      case ']':
        return (state === 'value-or-end' || (state === 'comma-or-end' && this.#open.at(-1) === false)) && this.#close();
      case ',':
        this.#state = this.#open.at(-1) ? 'name' : 'value';
        return state === 'comma-or-end';
      case ':':
        this.#state = 'value';
        return state === 'colon';
      case '"':
        if (state === 'name' || state === 'name-or-end') return this.#begin('name');
        return expectsValue(state) && this.#begin('string');
      default:
        return expectsValue(state) && this.#value(character);
    }
  }

  #value(character: string): boolean {
    if (character === '{' || character === '[') return this.#nest(character === '{');
    const word = words[character];
    if (word !== undefined) {
      this.#word = word;
      return this.#begin('word');
    }
    this.#number = nextOfNumber('start', character);
    this.#digits = isDigit(character) ? 1 : 0;
    return this.#number !== 'wrong' && this.#begin('number');
  }

  #nest(isObject: boolean): boolean {
    if (this.#open.length === depthMax) this.words = `it is nested deeper than ${depthMax}`;
    this.#open.push(isObject);
    this.#state = isObject ? 'name-or-end' : 'value-or-end';
    return true;
  }

  #close(): boolean {
    this.#open.pop();
    this.#endValue();
    return true;
  }

  #begin(token: 'string' | 'name' | 'number' | 'word'): boolean {
    this.#token = token;
    return true;
  }

  #endValue(): void {
    this.#token = 'none';
    this.#state = this.#open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  #inString(text: string, from: number): number {
    if (this.#escape !== 'none') return this.#inEscape(text, from);
    specialInString.lastIndex = from;
    const at = specialInString.exec(text)?.index ?? text.length;
    if (at === text.length) return at;
    const character = text.charAt(at);
    if (character === '\\') this.#escape = 'begun';
    else if (character !== '"') {
      this.words = `a raw control character at character ${this.#offset + at} has to be escaped`;
      return at;
    } else if (this.#token === 'name') {
      this.#token = 'none';
      this.#state = 'colon';
    } else this.#endValue();
    return at + 1;
  }

  #inEscape(text: string, at: number): number {
    const character = text.charAt(at);
    const escape = this.#escape;
    const isRight = escape === 'begun' ? '"\\/bfnrtu'.includes(character) : /[\da-fA-F]/.test(character);
    if (!isRight) {
      this.words = `${quoted(text, at)} at character ${this.#offset + at} is not a valid escape`;
      return at;
    }
    if (escape === 'begun') this.#escape = character === 'u' ? 4 : 'none';
    else this.#escape = escape === 4 ? 3 : escape === 3 ? 2 : escape === 2 ? 1 : 'none';
    return at + 1;
  }

  #inWord(text: string, at: number): number {
    if (text.charAt(at) !== this.#word.charAt(0)) {
      this.words = `${quoted(text, at)} at character ${this.#offset + at} is not allowed there`;
      return at;
    }
    this.#word = this.#word.slice(1);
    if (this.#word === '') this.#endValue();
    return at + 1;
  }

  #inNumber(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const character = text.charAt(at);
      const next = nextOfNumber(this.#number, character);
      if (next === 'wrong') {
        this.#endNumber();
        return at;
      }
      this.#number = next;
      if (isDigit(character) && ++this.#digits > exactDigitsMax) this.hasExactNumbers = false;
    }
    return text.length;
  }

  #endNumber(): void {
    if (!wholeNumbers.has(this.#number)) this.words = 'a number is not complete';
    this.#endValue();
  }
}

/** Reads a text that should be one JSON value, with optional blanks around it. */
export function readJson(text: string): JsonRead {
  const reader = new JsonReader();
  const end = reader.push(text);
  const isComplete = reader.end();
  const { words: why = '', hasExactNumbers } = reader;
  if (isComplete && notBlank.test(text.slice(end))) {
    return { isComplete: false, words: `more follows after character ${end}`, hasExactNumbers };
  }
  return { isComplete, words: why, hasExactNumbers };
}

interface JsonRead {
  readonly isComplete: boolean;
  readonly words: string;
  readonly hasExactNumbers: boolean;
}

type NumberState = 'start' | 'minus' | 'zero' | 'whole' | 'point' | 'fraction' | 'e' | 'sign' | 'exponent' | 'wrong';

const wholeNumbers: ReadonlySet<NumberState> = new Set(['zero', 'whole', 'fraction', 'exponent']);

function nextOfNumber(state: NumberState, character: string): NumberState {
  if (isDigit(character)) return afterDigit(state, character);
  if (character === '-') return state === 'start' ? 'minus' : state === 'e' ? 'sign' : 'wrong';
  if (character === '+') return state === 'e' ? 'sign' : 'wrong';
  if (character === '.') return state === 'zero' || state === 'whole' ? 'point' : 'wrong';
  const isMantissa = state === 'zero' || state === 'whole' || state === 'fraction';
  return isMantissa && (character === 'e' || character === 'E') ? 'e' : 'wrong';
}

function afterDigit(state: NumberState, digit: string): NumberState {
  switch (state) {
    case 'start':
    case 'minus':
      return digit === '0' ? 'zero' : 'whole';
    case 'zero':
    case 'wrong':
      return 'wrong';
    case 'point':
      return 'fraction';
    case 'e':
    case 'sign':
      return 'exponent';
    default:
      return state;
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function expectsValue(state: JsonState): boolean {
  return state === 'value' || state === 'value-or-end';
}

function quoted(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0xfffd));
}

/** The rest of each word after its first letter. */
const words: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
const notBlank = /[^ \n\r\t]/;
// oxlint-disable-next-line no-control-regex -- JSON strings must not contain control characters
const specialInString = /["\\\u0000-\u001f]/g;
