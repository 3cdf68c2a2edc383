import type { Output } from './output.ts';

type TextType = 'text-delta' | 'reasoning-delta';

interface SpeechPiece {
  readonly text: string;
  readonly position: number;
}

/** Words held back because it is not known yet whether they are reasoning; beyond it a reader has waited long enough. */
const heldMax = 4096;
/** Reasoning kept to be said again; longer reasoning that never ends stays reasoning. */
const repeatableMax = 256 * 1024;

/**
 * What a reader says, where it may be in doubt. Nobody has seen the reasoning open that a prompt may have opened: words
 * in it are held back until something ends it, and are text if nothing does. What had to be said as reasoning before
 * that was known is said again as text, since an answer must not be empty.
 */
export class Speech {
  readonly #out: Output;
  readonly #dropsReasoning: boolean;
  #isInDoubt = false;
  /** Whether words in doubt have been said as reasoning already. */
  #isSaid = false;
  /** What stands before the words in doubt and is no part of reasoning. */
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

  /** Whether words are held back. */
  get isHolding(): boolean {
    return this.#isInDoubt && !this.#isSaid && this.#length > 0;
  }

  /** From here on reasoning is in doubt; it is said as it comes where `isLikely`, and held back otherwise. */
  doubt(isLikely: boolean): void {
    this.#forget();
    this.#isInDoubt = true;
    this.#isSaid = isLikely;
  }

  /** Says text that stands at a position of the stream. */
  say(type: TextType, text: string, position: number): void {
    if (!this.#isInDoubt || type === 'text-delta') return this.#say(type, text, position);
    this.#pieces.push({ text, position });
    this.#length += text.length;
    if (this.#isSaid) this.#say(type, text, position);
    else if (this.#length > heldMax) this.#sayAll('reasoning-delta');
    if (this.#isSaid && this.#length > repeatableMax) this.trust('reasoning');
  }

  /** Passes over what belongs to the answer only if there turns out to be no reasoning. */
  pass(text: string, position: number): void {
    if (this.#isInDoubt) this.#before.push({ text, position });
  }

  /** It is known now what the words in doubt were. */
  trust(kind: 'text' | 'reasoning'): void {
    if (this.#isInDoubt && !this.#isSaid) {
      if (kind === 'text') for (const { text, position } of this.#before) this.#say('text-delta', text, position);
      this.#sayAll(kind === 'text' ? 'text-delta' : 'reasoning-delta');
    }
    this.#forget();
  }

  /** The answer is over; `isNatural` unless it was cut off. */
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
