import { JsonScanner } from './json-scanner.ts';

export interface JsonReaderLimits {
  /** Maximum nesting. It also bounds the recursion of code that walks through a value. */
  readonly depthMax: number;
  /** Maximum blanks between two tokens. */
  readonly blanksMax: number;
}

/** For JSON written by a model. Some models write blanks until they are stopped. */
export const answerLimits: JsonReaderLimits = { depthMax: 128, blanksMax: 1024 };

/** A number with more digits may change when it is parsed and serialised again. */
const exactDigitsMax = 15;

/** Reads one JSON value in pieces, each character once. Reports errors as early as possible. Keeps no text. */
export class JsonReader {
  readonly #limits: JsonReaderLimits;
  readonly #scanner = new JsonScanner({ strict: true });
  /** The grammar's state after the current token. */
  #state: JsonState = 'value';
  /** The state of a number that may go on, and the rest of a word. */
  #number: NumberState | undefined;
  #word = '';
  /** The last characters read that only further ones make a complete token: part of a word or number. */
  #partLength = 0;
  #blanks = 0;
  #digits = 0;
  /** Characters read before, and their offset relative to the current text. */
  #read = 0;
  #offset = 0;
  /** Why the text cannot be JSON. */
  words: string | undefined;
  hasExactNumbers = true;

  constructor(limits = answerLimits) {
    this.#limits = limits;
  }

  /** Whether the value is complete: a closed object, list or string, or a word. A number ends only with the text. */
  get isDone(): boolean {
    return this.#state === 'nothing' && this.#number === undefined && this.#word === '' && !this.#scanner.isInString;
  }

  /** The characters that are a part of valid JSON. An incomplete word, escape or part of a number does not count. */
  get validLength(): number {
    return this.#read - this.#partLength - this.#scanner.escapeLength;
  }

  /** Reads from an index and returns where it stopped: at the end of the text, after the value, or at an error. */
  push(text: string, from = 0): number {
    this.#offset = this.#read - from;
    let at = from;
    while (at < text.length && !this.isDone && this.words === undefined) {
      if (this.#scanner.isInString) at = this.#inString(text, at);
      else if (this.#number !== undefined) at = this.#inNumber(text, at, this.#number);
      else at = this.#word === '' ? this.#structure(text, at) : this.#inWord(text, at);
    }
    this.#read += at - from;
    return at;
  }

  /** Ends the text. Returns whether a complete value has been read. */
  end(): boolean {
    if (this.#number !== undefined) this.#endNumber(this.#number);
    if (!this.isDone) this.words ??= `it ends after ${this.#read} characters before it is complete`;
    return this.words === undefined;
  }

  #structure(text: string, from: number): number {
    const { blanksMax, depthMax } = this.#limits;
    const at = this.#scanner.next(text, from);
    const free = blanksMax - this.#blanks;
    if (at - from > free) {
      this.words = `more than ${blanksMax} blanks in a row`;
      return from + free + 1;
    }
    this.#blanks += at - from;
    if (at === text.length) return at;
    this.#blanks = 0;
    if (!tokens[this.#state].includes(text.charAt(at))) return this.#notAllowed(text, at);
    this.#begin(text.charAt(at));
    if (this.#scanner.closers.length <= depthMax) return at + 1;
    this.words = `it is nested deeper than ${depthMax}`;
    return at;
  }

  /** Begins a token that the grammar allows here. */
  #begin(character: string): void {
    const state = this.#state;
    if (character === '{') this.#state = 'name-or-end';
    else if (character === '[') this.#state = 'value-or-end';
    else if (character === ':') this.#state = 'value';
    else if (character === ',') this.#state = state === 'in-object' ? 'name' : 'value';
    else if (state === 'name' || (state === 'name-or-end' && character === '"')) this.#state = 'colon';
    else {
      const closer = this.#scanner.closers.at(-1);
      this.#state = closer === undefined ? 'nothing' : closer === '}' ? 'in-object' : 'in-list';
      if (!'"}]'.includes(character)) this.#beginScalar(character);
    }
  }

  #beginScalar(character: string): void {
    this.#word = words[character] ?? '';
    this.#partLength = 1;
    if (this.#word !== '') return;
    this.#digits = 0;
    this.#partLength = 0;
    this.#number = this.#nextOfNumber('start', character);
  }

  #inString(text: string, from: number): number {
    const at = this.#scanner.next(text, from);
    if (at === text.length) return at;
    if (!this.#scanner.isInString) return at + 1;
    this.words =
      this.#scanner.escapeLength > 0
        ? `${quoted(text, at)} at character ${this.#offset + at} is not a valid escape`
        : `a raw control character at character ${this.#offset + at} has to be escaped`;
    return at;
  }

  #inWord(text: string, at: number): number {
    if (text.charAt(at) !== this.#word.charAt(0)) return this.#notAllowed(text, at);
    this.#word = this.#word.slice(1);
    this.#partLength = this.#word === '' ? 0 : this.#partLength + 1;
    return at + 1;
  }

  #inNumber(text: string, from: number, start: NumberState): number {
    let state = start;
    for (let at = from; at < text.length; at++) {
      const next = this.#nextOfNumber(state, text.charAt(at));
      if (next === undefined) {
        this.#endNumber(state);
        return at;
      }
      state = next;
    }
    this.#number = state;
    return text.length;
  }

  /** Returns undefined if the number ends before the character. */
  #nextOfNumber(state: NumberState, character: string): NumberState | undefined {
    const isDigit = character >= '0' && character <= '9';
    const next = numberStates[state][isDigit && character !== '0' ? '1' : character];
    if (next === undefined) return undefined;
    this.#partLength = completeNumbers.has(next) ? 0 : this.#partLength + 1;
    if (isDigit && ++this.#digits > exactDigitsMax) this.hasExactNumbers = false;
    return next;
  }

  #endNumber(state: NumberState): void {
    if (!completeNumbers.has(state)) this.words = 'a number is not complete';
    this.#number = undefined;
  }

  #notAllowed(text: string, at: number): number {
    this.words = `${quoted(text, at)} at character ${this.#offset + at} is not allowed there`;
    return at;
  }
}

/** Reads a text that should be one JSON value, with optional blanks around it. */
export function readJson(text: string) {
  const reader = new JsonReader();
  const end = reader.push(text);
  const isComplete = reader.end();
  const { words: why = '', hasExactNumbers } = reader;
  if (isComplete && notBlank.test(text.slice(end))) {
    return { isComplete: false, words: `more follows after character ${end}`, hasExactNumbers };
  }
  return { isComplete, words: why, hasExactNumbers };
}

const notBlank = /[^ \n\r\t]/;

type JsonState = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'in-object' | 'in-list' | 'nothing';

const valueStarts = '{["-0123456789tfn';

/** The characters that may begin the next token. */
const tokens: Readonly<Record<JsonState, string>> = {
  value: valueStarts,
  'value-or-end': `${valueStarts}]`,
  name: '"',
  'name-or-end': '"}',
  colon: ':',
  'in-object': ',}',
  'in-list': ',]',
  nothing: '',
};

/** The rest of each word after its first letter. */
const words: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };

type NumberState = 'start' | 'minus' | 'zero' | 'whole' | 'point' | 'fraction' | 'e' | 'sign' | 'exponent';

/** The next state of a number by character. `1` stands for the digits from 1 to 9. */
const numberStates: Readonly<Record<NumberState, Readonly<Record<string, NumberState>>>> = {
  start: { '-': 'minus', '0': 'zero', '1': 'whole' },
  minus: { '0': 'zero', '1': 'whole' },
  zero: { '.': 'point', e: 'e', E: 'e' },
  whole: { '0': 'whole', '1': 'whole', '.': 'point', e: 'e', E: 'e' },
  point: { '0': 'fraction', '1': 'fraction' },
  fraction: { '0': 'fraction', '1': 'fraction', e: 'e', E: 'e' },
  e: { '-': 'sign', '+': 'sign', '0': 'exponent', '1': 'exponent' },
  sign: { '0': 'exponent', '1': 'exponent' },
  exponent: { '0': 'exponent', '1': 'exponent' },
};

const completeNumbers: ReadonlySet<NumberState> = new Set(['zero', 'whole', 'fraction', 'exponent']);

function quoted(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0xfffd));
}
