import type { SplicedText } from 'chat-formats/json/spliced-text.ts';

/** This byte does not occur in UTF-8. */
const separator = '\u00ff';

/** Pieces of text in the notation of the provider's JSON, one character for each byte. */
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

  /** Copies the pieces. As slices of a read, they would keep its whole text in memory while the answer runs. */
  detach(): void {
    this.#literals = Buffer.from(this.#literals, 'latin1').toString('latin1');
  }

  texts(): readonly string[] {
    const list = `["${this.#literals.replaceAll(separator, '","')}"]`;
    return JSON.parse(Buffer.from(list, 'latin1').toString('utf8')) as string[];
  }
}
