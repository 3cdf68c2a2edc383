import { JsonReader } from './json-reader.ts';

export interface ListLimits {
  /** Maximum nesting of an entry. */
  readonly depthMax: number;
  /** Maximum length of an entry, of a name and of any other member, in characters. */
  readonly charactersMax: number;
}

/** What `ListReader` finds wrong, and the index of the entry if it is inside one. */
export class ListError extends Error {
  readonly index: number | undefined;

  constructor(words: string, index?: number) {
    super(words);
    this.name = 'ListError';
    this.index = index;
  }
}

/**
 * Reads the entries of one list in a JSON object that arrives in pieces, with the memory of one entry. The other members
 * of the object are checked and skipped. Entries are valid JSON texts; the caller parses them.
 */
export class ListReader {
  readonly #member: string;
  readonly #limits: ListLimits;
  #state: State = 'start';
  /** The value that is being read, and its text so far. */
  #value: { readonly reader: JsonReader; readonly kind: 'name' | 'other' | 'entry'; length: number } | undefined;
  #parts: string[] = [];
  #entries = 0;
  #isFound = false;
  #isList = false;

  constructor(member: string, limits: ListLimits) {
    this.#member = member;
    this.#limits = limits;
  }

  /** The entries that the piece completes. Throws a `ListError`. */
  push(text: string): readonly string[] {
    const entries: string[] = [];
    for (let at = 0; at < text.length; ) {
      const value = this.#value;
      if (!value) {
        if (!' \t\n\r'.includes(text.charAt(at))) this.#take(text.charAt(at));
        // The first character of a value is a part of its text.
        if (!this.#value) at += 1;
        continue;
      }
      const end = value.reader.push(text, at);
      value.length += end - at;
      if (value.reader.words !== undefined) throw this.#error('is not valid JSON');
      if (value.length > this.#limits.charactersMax) {
        throw this.#error(`is longer than ${this.#limits.charactersMax} characters`);
      }
      if (value.kind !== 'other') this.#parts.push(text.slice(at, end));
      at = end;
      if (value.reader.isDone) this.#complete(value.kind, entries);
    }
    return entries;
  }

  /** Throws unless the object is complete and has the list. */
  end(): void {
    if (this.#state !== 'end') throw new ListError('is not valid JSON: it ends before it is complete');
    if (!this.#isFound) throw new ListError(`has no member ${this.#member}`);
  }

  #take(character: string): void {
    const next = punctuation[this.#state][character];
    if (next !== undefined) {
      this.#state = next;
      return;
    }
    const kind = valueIn(this.#state, character);
    if (kind === undefined) throw this.#error('is not valid JSON');
    if (kind === 'other' && this.#isList) {
      if (character !== '[') throw new ListError(`has a member ${this.#member} that is not a list`);
      this.#isList = false;
      this.#isFound = true;
      this.#state = 'entry-or-end';
      return;
    }
    const reader = new JsonReader({ depthMax: this.#limits.depthMax, blanksMax: Number.POSITIVE_INFINITY });
    this.#value = { reader, kind, length: 0 };
  }

  #complete(kind: 'name' | 'other' | 'entry', entries: string[]): void {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#value = undefined;
    if (kind === 'entry') {
      entries.push(text);
      this.#entries += 1;
      this.#state = 'after-entry';
    } else if (kind === 'other') this.#state = 'after-value';
    else {
      this.#state = 'colon';
      this.#isList = JSON.parse(text) === this.#member;
      if (this.#isList && this.#isFound) throw new ListError(`has two members ${this.#member}`);
    }
  }

  #error(words: string): ListError {
    return new ListError(words, this.#value?.kind === 'entry' ? this.#entries : undefined);
  }
}

type State =
  | 'start'
  | 'name-or-end'
  | 'name'
  | 'colon'
  | 'value'
  | 'after-value'
  | 'entry-or-end'
  | 'entry'
  | 'after-entry'
  | 'end';

/** The next state by character. Every other character begins a value or is an error. */
const punctuation: Readonly<Record<State, Readonly<Record<string, State>>>> = {
  start: { '{': 'name-or-end' },
  'name-or-end': { '}': 'end' },
  name: {},
  colon: { ':': 'value' },
  value: {},
  'after-value': { ',': 'name', '}': 'end' },
  'entry-or-end': { ']': 'after-value' },
  entry: {},
  'after-entry': { ',': 'entry', ']': 'after-value' },
  end: {},
};

function valueIn(state: State, character: string): 'name' | 'other' | 'entry' | undefined {
  if (state === 'name' || state === 'name-or-end') return character === '"' ? 'name' : undefined;
  if (state === 'value') return 'other';
  return state === 'entry' || state === 'entry-or-end' ? 'entry' : undefined;
}
