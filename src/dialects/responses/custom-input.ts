import { isObject, parsedJson } from '../wire-value.ts';

/** The function argument in which a custom tool's text is sent to the provider. */
const property = 'input';

/** The JSON before the text, if the model kept to the form. */
const opening = new RegExp(`^\\s*\\{\\s*"${property}"\\s*:\\s*"`);

/** If the text has not begun after this many characters, the model did not keep to the form. */
const openingCharactersMax = 256;

/**
 * Reads the text of a custom tool from the arguments of a function while they arrive. If the model kept to the form,
 * the text is returned piece by piece. Otherwise `end` returns the text found in the complete arguments.
 */
export class CustomInput {
  #state: 'opening' | 'text' | 'over' = 'opening';
  readonly #pieces: string[] = [];
  #characters = 0;
  /** An incomplete escape, or the first half of a surrogate pair. */
  #held = '';

  /** Returns the text that the piece adds. */
  push(piece: string): string {
    if (this.#state === 'text') return this.#read(piece);
    if (this.#state === 'over') return '';
    this.#pieces.push(piece);
    const hasTried = this.#characters > openingCharactersMax;
    this.#characters += piece.length;
    return hasTried ? '' : this.#open();
  }

  /** Returns the remaining text at the end of the arguments. */
  end(): string {
    const isUnread = this.#state === 'opening';
    this.#state = 'over';
    return isUnread ? recoverText(this.#pieces.join('')) : '';
  }

  #open(): string {
    const raw = this.#pieces.join('');
    const match = opening.exec(raw);
    if (!match) return '';
    this.#state = 'text';
    return this.#read(raw.slice(match[0].length));
  }

  #read(piece: string): string {
    const { text, rest, isOver } = decodeEscapes(this.#held + piece);
    this.#held = rest;
    if (isOver) this.#state = 'over';
    return text;
  }
}

interface UnescapedText {
  readonly text: string;
  /** Text that cannot be decoded before more arrives. */
  readonly rest: string;
  readonly isOver: boolean;
}

/** Decodes a JSON string up to its end, or up to a character that is not complete yet. */
function decodeEscapes(json: string): UnescapedText {
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
  // Half a surrogate pair waits for its other half.
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

/** Returns the text of a model that did not keep to the form: its only string, or everything it wrote. */
function recoverText(raw: string): string {
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
