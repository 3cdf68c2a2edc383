import type { Output } from './output.ts';

type TextType = 'text-delta' | 'reasoning-delta';

interface SpeechPiece {
  readonly text: string;
  readonly position: number;
}

/**
 * Maximum characters held back while it is not known whether they are reasoning. Beyond it the client has waited long
 * enough.
 */
const heldMax = 4096;
/** Maximum characters of reasoning kept to be repeated as text. Longer reasoning that never ends stays reasoning. */
const repeatableMax = 256 * 1024;

/**
 * Writes the text of a reader, and holds back text in doubt. If a prompt may have opened the reasoning, the answer does
 * not show it. Text is then held back until a mark ends the reasoning. If no mark does, it is text. Text that was
 * already written as reasoning is repeated as text, because an answer must not be empty.
 */
export class Speech {
  readonly #out: Output;
  readonly #dropsReasoning: boolean;
  #isInDoubt = false;
  /** Whether text in doubt has already been written as reasoning. */
  #isSaid = false;
  /** Text before the text in doubt that is not part of the reasoning. */
  #before: SpeechPiece[] = [];
  #pieces: SpeechPiece[] = [];
  #length = 0;

  constructor(out: Output, { dropsReasoning }: { readonly dropsReasoning: boolean }) {
    this.#out = out;
    this.#dropsReasoning = dropsReasoning;
  }

  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  get isHolding(): boolean {
    return this.#isInDoubt && !this.#isSaid && this.#length > 0;
  }

  /** From here on reasoning is in doubt. If `isLikely`, it is written as it arrives; otherwise it is held back. */
  doubt(isLikely: boolean): void {
    this.#forget();
    this.#isInDoubt = true;
    this.#isSaid = isLikely;
  }

  /** Writes the text at a position of the stream. */
  say(type: TextType, text: string, position: number): void {
    if (!this.#isInDoubt || type === 'text-delta') return this.#say(type, text, position);
    this.#pieces.push({ text, position });
    this.#length += text.length;
    if (this.#isSaid) this.#say(type, text, position);
    else if (this.#length > heldMax) this.#sayAll('reasoning-delta');
    if (this.#isSaid && this.#length > repeatableMax) this.trust('reasoning');
  }

  /** Skips text that belongs to the answer only if there is no reasoning. */
  pass(text: string, position: number): void {
    if (this.#isInDoubt) this.#before.push({ text, position });
  }

  /** Decides what the text in doubt was. */
  trust(kind: 'text' | 'reasoning'): void {
    if (this.#isInDoubt && !this.#isSaid) {
      if (kind === 'text') for (const { text, position } of this.#before) this.#say('text-delta', text, position);
      this.#sayAll(kind === 'text' ? 'text-delta' : 'reasoning-delta');
    }
    this.#forget();
  }

  /** Ends the answer. `isNatural` is false if the answer was cut off. */
  end(isNatural: boolean): void {
    if (this.#isInDoubt && this.#isSaid && isNatural && this.#length > 0) {
      this.#out.repeat([...this.#before, ...this.#pieces].map(({ text }) => text).join(''));
    }
    this.trust('text');
  }

  #sayAll(type: TextType): void {
    for (const { text, position } of this.#pieces) this.#say(type, text, position);
    this.#isSaid = true;
  }

  #say(type: TextType, text: string, position: number): void {
    if (type === 'text-delta' || !this.#dropsReasoning) this.#out.say(type, text, position);
  }

  #forget(): void {
    this.#isInDoubt = false;
    this.#isSaid = false;
    this.#before = [];
    this.#pieces = [];
    this.#length = 0;
  }
}
