/** Values that are nested deeper are taken for a mistake; whoever walks through one may call itself that often. */
const depthMax = 128;
/** More blanks between two tokens are no layout any more: some models write them until they are stopped. */
export const blanksMax = 1024;
/** A number of more digits may not be the same after it was read and written again. */
const exactDigitsMax = 15;

/** What may stand next, outside strings, numbers and words. */
type JsonState = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/**
 * Reads one JSON value in whatever pieces it comes, each character once, and says as soon as it can whether it can still
 * become valid. Nothing is built: what has been read is forgotten.
 */
export class JsonReader {
  /** For each bracket that is open, whether it is an object's. */
  readonly #open: boolean[] = [];
  #place: JsonState = 'value';
  #token: 'none' | 'string' | 'name' | 'number' | 'word' = 'none';
  /** Of a string: what is left of an escape. Of a number: where in it we are. Of a word: what is left of it. */
  #escape: 'none' | 'begun' | 1 | 2 | 3 | 4 = 'none';
  #number: NumberState = 'start';
  #word = '';
  #blanks = 0;
  #digits = 0;
  /** How much was read before, and where that is before the text that is being read. */
  #read = 0;
  #offset = 0;
  /** Why the text cannot be JSON. */
  words: string | undefined;
  hasExactNumbers = true;

  /** Whether the value is whole: an object, a list or a string that was closed, or a word. A number ends with its text. */
  get isDone(): boolean {
    return this.#place === 'nothing' && this.#token === 'none';
  }

  /** Reads from a position on and returns where it stopped: at the end of the text, behind the value, or at what cannot be. */
  push(text: string, from = 0): number {
    this.#offset = this.#read - from;
    let at = from;
    while (at < text.length && !this.isDone && this.words === undefined) {
      at = this.#token === 'none' ? this.#structure(text, at) : this.#inToken(text, at);
    }
    this.#read += at - from;
    return at;
  }

  /** The text is over: whether a whole value has been read. */
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
      this.words = `${shown(text, at)} at character ${this.#offset + at} cannot stand there`;
    return this.words === undefined ? at + 1 : at;
  }

  /** Takes a character outside strings, numbers and words, if it may stand here. */
  #mark(character: string): boolean {
    const place = this.#place;
    switch (character) {
      case '}':
        return (place === 'name-or-end' || (place === 'comma-or-end' && this.#open.at(-1) === true)) && this.#close();
      case ']':
        return (place === 'value-or-end' || (place === 'comma-or-end' && this.#open.at(-1) === false)) && this.#close();
      case ',':
        this.#place = this.#open.at(-1) ? 'name' : 'value';
        return place === 'comma-or-end';
      case ':':
        this.#place = 'value';
        return place === 'colon';
      case '"':
        if (place === 'name' || place === 'name-or-end') return this.#begin('name');
        return isValuePlace(place) && this.#begin('string');
      default:
        return isValuePlace(place) && this.#value(character);
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
    this.#place = isObject ? 'name-or-end' : 'value-or-end';
    return true;
  }

  #close(): boolean {
    this.#open.pop();
    this.#ended();
    return true;
  }

  #begin(token: 'string' | 'name' | 'number' | 'word'): boolean {
    this.#token = token;
    return true;
  }

  /** A value is complete. */
  #ended(): void {
    this.#token = 'none';
    this.#place = this.#open.length === 0 ? 'nothing' : 'comma-or-end';
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
      this.#place = 'colon';
    } else this.#ended();
    return at + 1;
  }

  #inEscape(text: string, at: number): number {
    const character = text.charAt(at);
    const escape = this.#escape;
    const isRight = escape === 'begun' ? '"\\/bfnrtu'.includes(character) : /[\da-fA-F]/.test(character);
    if (!isRight) {
      this.words = `${shown(text, at)} at character ${this.#offset + at} is no escape`;
      return at;
    }
    if (escape === 'begun') this.#escape = character === 'u' ? 4 : 'none';
    else this.#escape = escape === 4 ? 3 : escape === 3 ? 2 : escape === 2 ? 1 : 'none';
    return at + 1;
  }

  #inWord(text: string, at: number): number {
    if (text.charAt(at) !== this.#word.charAt(0)) {
      this.words = `${shown(text, at)} at character ${this.#offset + at} cannot stand there`;
      return at;
    }
    this.#word = this.#word.slice(1);
    if (this.#word === '') this.#ended();
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
    this.#ended();
  }
}

/** Reads a text that should be one JSON value, perhaps among blanks. */
export function readJson(text: string): JsonRead {
  const reader = new JsonReader();
  const end = reader.push(text);
  const isWhole = reader.end();
  const { words: why = '', hasExactNumbers } = reader;
  if (isWhole && notBlank.test(text.slice(end))) {
    return { isWhole: false, words: `more follows after character ${end}`, hasExactNumbers };
  }
  return { isWhole, words: why, hasExactNumbers };
}

interface JsonRead {
  readonly isWhole: boolean;
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

function isValuePlace(place: JsonState): boolean {
  return place === 'value' || place === 'value-or-end';
}

function shown(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0xfffd));
}

/** What is left of each word behind its first letter. */
const words: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
const notBlank = /[^ \n\r\t]/;
// oxlint-disable-next-line no-control-regex -- control characters are what JSON strings may not hold
const specialInString = /["\\\u0000-\u001f]/g;
