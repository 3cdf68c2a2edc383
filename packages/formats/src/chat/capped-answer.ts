import type { ChoiceEvent, StreamEvent } from './stream-event.ts';
import { cutAfter, TokenCap } from './token-cap.ts';

/** Cuts an answer at its token cap. Unrequested choices get a cap of their own, and end with the first choice. */
export class CappedAnswer {
  /** The remaining cap of the first choice. */
  readonly cap: TokenCap;
  readonly #maxTokens: number;
  /** The caps of other choices, once there are any; undefined for a choice that was cut. */
  #others: Map<number, TokenCap | undefined> | undefined;
  /** Whether the answer was cut here; no event follows. */
  isCut = false;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
    this.cap = new TokenCap(maxTokens);
  }

  pass(event: StreamEvent): readonly StreamEvent[] {
    if (this.isCut) return [];
    if (!('choice' in event)) return [event];
    if (event.choice !== 0) return this.#passOther(event);
    const cut = this.cap.cut(event);
    return cut ? this.#ended(cut) : [event];
  }

  /** Cuts the answer after `length` characters of an event of the first choice. */
  endAfter(event: ChoiceEvent, length: number): readonly StreamEvent[] {
    return this.#ended(cutAfter(event, length));
  }

  #ended(last: readonly ChoiceEvent[]): readonly StreamEvent[] {
    this.isCut = true;
    const open = [...(this.#others ?? [])].filter(([, cap]) => cap !== undefined);
    return [...last, ...open.flatMap(([choice]) => cutAfter({ type: 'text-delta', choice, text: '' }, 0))];
  }

  #passOther(event: ChoiceEvent): readonly StreamEvent[] {
    const { choice } = event;
    this.#others ??= new Map();
    if (!this.#others.has(choice)) this.#others.set(choice, new TokenCap(this.#maxTokens));
    const cap = this.#others.get(choice);
    const cut = cap?.cut(event);
    if (cut) this.#others.set(choice, undefined);
    return cap ? (cut ?? [event]) : [];
  }
}
