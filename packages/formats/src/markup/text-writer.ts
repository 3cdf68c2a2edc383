import type { EventBuffer } from './event-buffer.ts';

type TextType = 'text-delta' | 'reasoning-delta';

interface TextSpan {
  readonly text: string;
  readonly position: number;
}

/** Characters held back while they may be reasoning. Beyond it the client has waited long enough. */
const heldMax = 4096;
/** Maximum characters of reasoning kept to be repeated as text. Longer reasoning that never ends stays reasoning. */
const repeatableMax = 256 * 1024;

/**
 * Writes the text of a reader, and holds back text in doubt. If a prompt may have opened the reasoning, the answer does
 * not show it. Text is then held back until a mark ends the reasoning. If no mark does, it is text. Text that was
 * already written as reasoning is repeated as text, because an answer must not be empty.
 */
export class TextWriter {
  readonly #out: EventBuffer;
  readonly #dropsReasoning: boolean;
  isInDoubt = false;
  /** Whether text in doubt has already been written as reasoning. */
  #isWritten = false;
  /** Text before the text in doubt that is not part of the reasoning. */
  #before: TextSpan[] = [];
  #pieces: TextSpan[] = [];
  #length = 0;

  constructor(out: EventBuffer, { dropsReasoning }: { readonly dropsReasoning: boolean }) {
    this.#out = out;
    this.#dropsReasoning = dropsReasoning;
  }

  get isHolding(): boolean {
    return this.isInDoubt && !this.#isWritten && this.#length > 0;
  }

  /** From here on reasoning is in doubt. If `isLikely`, it is written as it arrives; otherwise it is held back. */
  beginDoubt(isLikely: boolean): void {
    this.#reset();
    this.isInDoubt = true;
    this.#isWritten = isLikely;
  }

  write(type: TextType, text: string, position: number): void {
    if (!this.isInDoubt || type === 'text-delta') return this.#emit(type, text, position);
    this.#pieces.push({ text, position });
    this.#length += text.length;
    if (this.#isWritten) this.#emit(type, text, position);
    else if (this.#length > heldMax) this.#emitAll('reasoning-delta');
    if (this.#isWritten && this.#length > repeatableMax) this.resolve('reasoning');
  }

  /** Skips text that belongs to the answer only if there is no reasoning. */
  omit(text: string, position: number): void {
    if (this.isInDoubt) this.#before.push({ text, position });
  }

  resolve(kind: 'text' | 'reasoning'): void {
    if (this.isInDoubt && !this.#isWritten) {
      if (kind === 'text') for (const { text, position } of this.#before) this.#emit('text-delta', text, position);
      this.#emitAll(kind === 'text' ? 'text-delta' : 'reasoning-delta');
    }
    this.#reset();
  }

  /** Ends the answer. `isNatural` is false if the answer was cut off. */
  end(isNatural: boolean): void {
    if (this.isInDoubt && this.#isWritten && isNatural && this.#length > 0) {
      this.#out.repeatAsText([...this.#before, ...this.#pieces].map(({ text }) => text).join(''));
    }
    this.resolve('text');
  }

  #emitAll(type: TextType): void {
    for (const { text, position } of this.#pieces) this.#emit(type, text, position);
    this.#isWritten = true;
  }

  #emit(type: TextType, text: string, position: number): void {
    if (type === 'text-delta' || !this.#dropsReasoning) this.#out.writeText(type, text, position);
  }

  #reset(): void {
    this.isInDoubt = false;
    this.#isWritten = false;
    this.#before = [];
    this.#pieces = [];
    this.#length = 0;
  }
}
