import type { FinishReason, Logprobs, StreamEvent } from '../chat/stream-event.ts';
import { type Channel, endsInHalf, type MarkupOptions, MarkupReader, markupTerms } from './markup-reader.ts';
import { type MarkupPrefilter, prefilterFor } from './markup-prefilter.ts';

/** A `MarkupReader` that is created only for the first piece that may contain markup. Most answers have none. */
export class LazyMarkupReader {
  readonly #options: MarkupOptions;
  readonly #unmarked: MarkupPrefilter;
  readonly #seesMarks: boolean;
  #reader: MarkupReader | undefined;
  #channel: Channel = 'content';
  #isOpening = true;
  #isSplit = false;
  #isMuted = false;

  constructor(options: MarkupOptions) {
    const { grammar, seesMarks } = markupTerms(options);
    this.#options = options;
    this.#unmarked = prefilterFor(grammar);
    this.#seesMarks = seesMarks;
    if (options.startsIn !== 'text') this.#reader = new MarkupReader(options);
  }

  get callCount(): number {
    return this.#reader?.callCount ?? 0;
  }

  get isInDoubt(): boolean {
    return this.#reader?.isInDoubt ?? false;
  }

  passes(text: string, channel: Channel): boolean {
    if (this.#reader) return this.#reader.passes(text, channel);
    if (this.#drops(channel) || endsInHalf(text) || (this.#seesMarks && this.#unmarked.isMarked(text))) return false;
    return this.#isContinuing(channel) || (this.#unmarked.beginsWithWords(text) && this.#begin(channel));
  }

  passesLiteral(literal: string, channel: Channel): boolean {
    if (this.#reader) return this.#reader.passesLiteral(literal, channel);
    if (this.#drops(channel) || (this.#seesMarks && this.#unmarked.isLiteralMarked(literal))) return false;
    return this.#isContinuing(channel) || (this.#unmarked.literalBeginsWithWords(literal) && this.#begin(channel));
  }

  push(text: string, channel: Channel, logprobs: Logprobs = []): readonly StreamEvent[] {
    if (logprobs.length === 0 && text !== '' && this.passes(text, channel)) {
      const type = channel === 'content' ? 'text-delta' : 'reasoning-delta';
      return [{ type, choice: this.#options.choice, text }];
    }
    return this.#createReader().push(text, channel, logprobs);
  }

  mute(): readonly StreamEvent[] {
    this.#isMuted = true;
    return this.#reader?.mute() ?? [];
  }

  splitElsewhere(): readonly StreamEvent[] {
    return this.#reader?.splitElsewhere() ?? [];
  }

  end(reason: FinishReason): readonly StreamEvent[] {
    return this.#reader?.end(reason) ?? [];
  }

  #drops(channel: Channel): boolean {
    return channel === 'reasoning' && this.#options.dropsReasoning;
  }

  /** Whether the text continues. After a change of channel it begins again. */
  #isContinuing(channel: Channel): boolean {
    return !this.#isOpening && channel === this.#channel;
  }

  #begin(channel: Channel): true {
    this.#isSplit ||= channel !== this.#channel;
    this.#channel = channel;
    this.#isOpening = false;
    return true;
  }

  #createReader(): MarkupReader {
    if (this.#reader) return this.#reader;
    const state = { channel: this.#channel, isOpening: this.#isOpening, isSplit: this.#isSplit };
    this.#reader = new MarkupReader(this.#options, state);
    if (this.#isMuted) this.#reader.mute();
    return this.#reader;
  }
}
