import type { ChoiceEvent } from '../core/chat/stream-event.ts';
import { TokenCap } from '../core/chat/token-cap.ts';
import type { ChoiceCutter } from './choice-cutter.ts';

/** Ends a choice that exceeds `max_tokens`, for providers that do not. Holds nothing back. */
export class CappedChoice implements ChoiceCutter {
  readonly constraint = 'max_tokens';
  readonly #cap: TokenCap;
  isCut = false;

  constructor(maxTokens: number) {
    this.#cap = new TokenCap(maxTokens);
  }

  pass(event: ChoiceEvent): readonly ChoiceEvent[] {
    const cut = this.#cap.cut(event);
    this.isCut = cut !== undefined;
    return cut ?? [event];
  }

  release(): readonly ChoiceEvent[] {
    return [];
  }
}
