import { Cursor, type Parse } from '../../markup/cursor.ts';
import { passJsonString } from '../../markup/json-text.ts';
import { isObject, parsedJson } from '../../wire-value.ts';

/** The function argument in which a custom tool's text is sent to the provider. */
const property = 'input';

/** Reads the text of a custom tool from a function's arguments: in pieces, or in `end` if the form was not kept. */
export class CustomInput {
  readonly #cursor = new Cursor();
  readonly #parse = this.#read();
  /** All pieces, until the text begins. */
  #pieces: string[] | undefined = [];
  #text = '';
  #isOver = false;

  push(piece: string): string {
    this.#pieces?.push(piece);
    if (this.#isOver) return '';
    this.#cursor.push(piece);
    this.#isOver = this.#parse.next().done === true;
    // Half a surrogate pair waits for its other half.
    const end = this.#text.length - (!this.#isOver && firstHalf.test(this.#text) ? 1 : 0);
    const text = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    return text;
  }

  end(): string {
    return this.#pieces ? recoverText(this.#pieces.join('')) : '';
  }

  *#read(): Parse<void> {
    const cursor = this.#cursor;
    for (const mark of ['{', `"${property}"`, ':']) if (!(yield* cursor.eatAnyAfterBlanks([mark]))) return;
    yield* cursor.skipBlanks();
    if (!(yield* cursor.sees('"'))) return;
    this.#pieces = undefined;
    yield* passJsonString(cursor, (text) => {
      this.#text += text;
    });
  }
}

const firstHalf = /[\ud800-\udbff]$/;

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
