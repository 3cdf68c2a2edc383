/** Tracks whether the text so far ends inside code: between fences, or directly after a backtick. */
export class CodeFence {
  #isFenced = false;
  /** Backticks at the end of the text so far. */
  #ticks = 0;

  get isOpen(): boolean {
    return this.#isFenced || (this.#ticks > 0 && this.#ticks < fenceLength);
  }

  push(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (text.charCodeAt(at) === backtick) {
        this.#ticks++;
        if (this.#ticks === fenceLength) this.#isFenced = !this.#isFenced;
        at++;
        continue;
      }
      this.#ticks = 0;
      const next = text.indexOf('`', at);
      if (next < 0) return;
      at = next;
    }
  }

  /** Called when other text follows that is not pushed here. */
  closeInlineCode(): void {
    this.#ticks = 0;
  }

  reset(): void {
    this.#isFenced = false;
    this.#ticks = 0;
  }
}

const backtick = 96;
const fenceLength = 3;
