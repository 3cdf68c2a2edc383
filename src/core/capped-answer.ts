import type { ChoiceEvent, StreamEvent } from './stream-event.ts';
import { cutAfter, TokenCap } from './token-cap.ts';

/**
 * An answer of one choice that ends at its cap on tokens. Choices that nobody asked for are passed on as far as a cap of
 * their own, and end with the first.
 */
export class CappedAnswer {
  /** What the first choice may still say. */
  readonly cap: TokenCap;
  readonly #maxTokens: number;
  /** The caps of other choices, once there are any; none of one that was cut. */
  #others: Map<number, TokenCap | undefined> | undefined;
  #isCut = false;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
    this.cap = new TokenCap(maxTokens);
  }

  /** Whether the answer was ended here; nothing comes behind that. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What goes on because of an event. */
  pass(event: StreamEvent): readonly StreamEvent[] {
    if (this.#isCut) return [];
    if (!('choice' in event)) return [event];
    if (event.choice !== 0) return this.#passOther(event);
    const cut = this.cap.cut(event);
    return cut ? this.#ended(cut) : [event];
  }

  /** The end of the answer behind so many characters of an event of the first choice. */
  endAfter(event: ChoiceEvent, length: number): readonly StreamEvent[] {
    return this.#ended(cutAfter(event, length));
  }

  #ended(last: readonly ChoiceEvent[]): readonly StreamEvent[] {
    this.#isCut = true;
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
