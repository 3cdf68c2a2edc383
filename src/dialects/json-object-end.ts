const quote = 0x22;
const backslash = 0x5c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Detects the end of a JSON object that arrives in pieces. */
export class JsonObjectEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  isComplete = false;

  push(piece: string): void {
    for (let at = 0; at < piece.length && !this.isComplete; at++) this.#read(piece.charCodeAt(at));
  }

  #read(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      if (character === backslash) this.#isEscaped = true;
      else if (character === quote) this.#isInString = false;
    } else if (character === quote) this.#isInString = true;
    else if (character === openingBrace) this.#depth += 1;
    else if (character === closingBrace) {
      this.#depth -= 1;
      this.isComplete = this.#depth === 0;
    }
  }
}
