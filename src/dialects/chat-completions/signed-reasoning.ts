import type { DeltaEvent } from './stream-encoder.ts';
import { encodeReasoningDetail } from './encode-reasoning-details.ts';

/** Thoughts longer than this are sent without their proof rather than kept in memory for it. */
const keptCharactersMax = 1024 * 1024;

/** Follows the thoughts of one choice, since their proof comes behind them and goes out together with all of their text. */
export class SignedReasoning {
  #pieces: string[] = [];
  #characters = 0;
  #details = 0;

  think(text: string): void {
    this.#characters += text.length;
    if (this.#characters <= keptCharactersMax) this.#pieces.push(text);
    else if (this.#pieces.length > 0) this.#pieces = [];
  }

  /** Something else was said: thoughts that were not proven until here never are. */
  forget(): void {
    if (this.#characters === 0) return;
    this.#pieces = [];
    this.#characters = 0;
  }

  /** The detail as JSON text, or nothing if the thoughts were too long to keep. */
  detail(event: Extract<DeltaEvent, { type: 'reasoning-signature' | 'redacted-reasoning' }>): string | undefined {
    const isKept = this.#characters <= keptCharactersMax;
    const text = this.#pieces.join('');
    this.forget();
    if (event.type === 'reasoning-signature' && !isKept) return undefined;
    const thought =
      event.type === 'reasoning-signature'
        ? { type: 'reasoning' as const, text, signature: event.signature }
        : { type: 'redacted-reasoning' as const, data: event.data };
    return JSON.stringify(encodeReasoningDetail(thought, this.#details++));
  }
}
