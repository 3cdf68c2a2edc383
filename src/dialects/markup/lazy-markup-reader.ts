import type { FinishReason, Logprobs, StreamEvent } from '../../core/stream-event.ts';
import { type Channel, endsInHalf, type MarkupOptions, MarkupReader, markupTerms } from './markup-reader.ts';
import { type Unmarked, unmarkedBy } from './unmarked.ts';

/**
 * Reads the text of one choice as a `MarkupReader` does, but makes one only for the first piece in which there may be
 * something to read: most answers are words from beginning to end.
 */
export class LazyMarkupReader {
  readonly #options: MarkupOptions;
  readonly #unmarked: Unmarked;
  readonly #seesMarks: boolean;
  #reader: MarkupReader | undefined;
  #channel: Channel = 'content';
  #isOpening = true;
  #isSplit = false;
  #isMuted = false;

  constructor(options: MarkupOptions) {
    const { grammar, seesMarks } = markupTerms(options);
    this.#options = options;
    this.#unmarked = unmarkedBy(grammar);
    this.#seesMarks = seesMarks;
    if (options.startsIn !== 'text') this.#reader = new MarkupReader(options);
  }

  /** How many calls have begun. */
  get callCount(): number {
    return this.#reader?.callCount ?? 0;
  }

  /** Whether words are held back until it is known what they are; the answer has begun all the same. */
  get isInDoubt(): boolean {
    return this.#reader?.isInDoubt ?? false;
  }

  /** Whether a piece of text can be passed on as it is, without being read; it then counts as said. */
  passes(text: string, channel: Channel): boolean {
    if (this.#reader) return this.#reader.passes(text, channel);
    if (this.#drops(channel) || endsInHalf(text) || (this.#seesMarks && this.#unmarked.isMarked(text))) return false;
    return this.#goesOn(channel) || (this.#unmarked.beginsWithWords(text) && this.#begin(channel));
  }

  /** The same for a literal: the text as it stands in JSON, one character for each byte, with no escape but the shortest. */
  passesLiteral(literal: string, channel: Channel): boolean {
    if (this.#reader) return this.#reader.passesLiteral(literal, channel);
    if (this.#drops(channel) || (this.#seesMarks && this.#unmarked.isLiteralMarked(literal))) return false;
    return this.#goesOn(channel) || (this.#unmarked.literalBeginsWithWords(literal) && this.#begin(channel));
  }

  push(text: string, channel: Channel, logprobs: Logprobs = []): readonly StreamEvent[] {
    if (logprobs.length === 0 && text !== '' && this.passes(text, channel)) {
      const type = channel === 'content' ? 'text-delta' : 'reasoning-delta';
      return [{ type, choice: this.#options.choice, text }];
    }
    return this.#made().push(text, channel, logprobs);
  }

  /** The provider calls tools in its own way: calls in the text are repetitions and dropped. */
  mute(): readonly StreamEvent[] {
    this.#isMuted = true;
    return this.#reader?.mute() ?? [];
  }

  /** The provider has a place of its own for what a model leaves in its text: the text does not begin inside reasoning. */
  splitElsewhere(): readonly StreamEvent[] {
    return this.#reader?.splitElsewhere() ?? [];
  }

  /** The answer is over, for the reason the provider gave. */
  end(reason: FinishReason): readonly StreamEvent[] {
    return this.#reader?.end(reason) ?? [];
  }

  #drops(channel: Channel): boolean {
    return channel === 'reasoning' && this.#options.dropsReasoning;
  }

  /** Text of the other kind begins anew. */
  #goesOn(channel: Channel): boolean {
    return !this.#isOpening && channel === this.#channel;
  }

  #begin(channel: Channel): true {
    this.#isSplit ||= channel !== this.#channel;
    this.#channel = channel;
    this.#isOpening = false;
    return true;
  }

  #made(): MarkupReader {
    if (this.#reader) return this.#reader;
    const readSoFar = { channel: this.#channel, isOpening: this.#isOpening, isSplit: this.#isSplit };
    this.#reader = new MarkupReader(this.#options, readSoFar);
    if (this.#isMuted) this.#reader.mute();
    return this.#reader;
  }
}
