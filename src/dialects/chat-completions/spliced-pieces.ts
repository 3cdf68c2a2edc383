import type { SplicedText } from '../../core/spliced-text.ts';

/** No byte of UTF-8 has this value. */
const separator = '\u00ff';

/** Pieces of text as they stood in a provider's JSON, one character for each byte. */
export class SplicedPieces implements SplicedText {
  readonly type = 'spliced-text';
  readonly kind: SplicedText['kind'];
  pieces = 1;
  #literals: string;

  constructor(kind: SplicedText['kind'], literal: string) {
    this.kind = kind;
    this.#literals = literal;
  }

  get bytes(): number {
    return this.#literals.length;
  }

  add(literal: string): void {
    this.pieces++;
    this.#literals += separator + literal;
  }

  /** Keeps the pieces alone: cut from the text of a read, they would keep all of it for as long as the answer lasts. */
  keep(): void {
    this.#literals = Buffer.from(this.#literals, 'latin1').toString('latin1');
  }

  texts(): readonly string[] {
    const list = `["${this.#literals.replaceAll(separator, '","')}"]`;
    return JSON.parse(Buffer.from(list, 'latin1').toString('utf8')) as string[];
  }
}
