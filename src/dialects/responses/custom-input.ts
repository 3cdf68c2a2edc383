import { isObject, parsedJson } from '../wire-value.ts';

/** The name under which a custom tool's text goes up as an argument of a function. */
const property = 'input';

/** What stands before the text where the model kept to the form. */
const opening = new RegExp(`^\\s*\\{\\s*"${property}"\\s*:\\s*"`);

/** As much as anybody puts before a text; what has not begun by then did not keep to the form. */
const openingCharactersMax = 256;

/**
 * Reads the text of a custom tool out of the arguments of a function while they come. A model that kept to the form is
 * read piece by piece; whatever else it wrote is read when it is whole, for the text it meant.
 */
export class CustomInput {
  #state: 'opening' | 'text' | 'over' = 'opening';
  readonly #pieces: string[] = [];
  #characters = 0;
  /** A part of an escape, or the first half of a character that needs two. */
  #held = '';

  /** The text that the piece adds. */
  push(piece: string): string {
    if (this.#state === 'text') return this.#read(piece);
    if (this.#state === 'over') return '';
    this.#pieces.push(piece);
    const hasTried = this.#characters > openingCharactersMax;
    this.#characters += piece.length;
    return hasTried ? '' : this.#open();
  }

  /** What is left when nothing more comes. */
  end(): string {
    const isUnread = this.#state === 'opening';
    this.#state = 'over';
    return isUnread ? meant(this.#pieces.join('')) : '';
  }

  #open(): string {
    const raw = this.#pieces.join('');
    const begun = opening.exec(raw);
    if (!begun) return '';
    this.#state = 'text';
    return this.#read(raw.slice(begun[0].length));
  }

  #read(piece: string): string {
    const { text, rest, isOver } = unescaped(this.#held + piece);
    this.#held = rest;
    if (isOver) this.#state = 'over';
    return text;
  }
}

interface UnescapedText {
  readonly text: string;
  /** What cannot be read before more comes. */
  readonly rest: string;
  readonly isOver: boolean;
}

/** The characters of a JSON string up to its end, or up to where a character is not whole yet. */
function unescaped(json: string): UnescapedText {
  let text = '';
  let at = 0;
  while (at < json.length) {
    const special = nextSpecial(json, at);
    text += json.slice(at, special);
    at = special;
    if (json[at] === '"') return { text, rest: '', isOver: true };
    const length = json[at + 1] === 'u' ? 6 : 2;
    if (at + length > json.length) break;
    text += escapeIn(json.slice(at, at + length));
    at += length;
  }
  const rest = json.slice(at);
  const last = text.at(-1) ?? '';
  // Half a character waits for its other half.
  if (!firstHalf.test(last)) return { text, rest, isOver: false };
  return { text: text.slice(0, -1), rest: last + rest, isOver: false };
}

const firstHalf = /[\ud800-\udbff]/;
const specials = /["\\]/g;

function nextSpecial(json: string, from: number): number {
  specials.lastIndex = from;
  return specials.exec(json)?.index ?? json.length;
}

function escapeIn(escape: string): string {
  const value = parsedJson(`"${escape}"`);
  return typeof value === 'string' ? value : escape.slice(1);
}

/** The text a model meant that did not keep to the form: its only string, or all it wrote. */
function meant(raw: string): string {
  const value = parsedJson(raw);
  if (typeof value === 'string') return value;
  if (!isObject(value)) return raw;
  const named = value[property];
  if (typeof named === 'string') return named;
  const values = Object.values(value);
  const [only] = values;
  if (values.length === 1 && typeof only === 'string') return only;
  return values.length === 0 ? '' : raw;
}
