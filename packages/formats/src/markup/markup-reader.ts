import type { Tool, ToolChoice } from '../chat/chat-request.ts';
import type { FinishReason, Logprobs, StreamEvent } from '../chat/stream-event.ts';
import { ToolCallAccumulator } from './tool-call-accumulator.ts';
import { type ChannelSpan, readChannel } from './channels.ts';
import { Cursor, type Parse } from './cursor.ts';
import type { CallForm } from './family.ts';
import { type Grammar, grammarOf, type GrammarMark, type ToolFormat } from './grammar.ts';
import { isAllEnds } from './ends-of-text.ts';
import { EventBuffer } from './event-buffer.ts';
import { TextWriter } from './text-writer.ts';
import { firstBlanksMax, type MarkupPrefilter, prefilterFor } from './markup-prefilter.ts';

export interface MarkupOptions {
  readonly choice: number;
  /** The families whose markup is looked for. `off` leaves calls in the text. */
  readonly format: ToolFormat;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly wantsJson: boolean;
  readonly dropsReasoning: boolean;
  /** `reasoning`: inside reasoning that the prompt opened. `doubt`: it is reasoning only if a mark ends it. */
  readonly startsIn: 'text' | 'reasoning' | 'doubt';
  /** Repairs malformed arguments if the repair is certain. */
  readonly repair: boolean;
  /** Generates the part after `call_` for calls without an id. */
  readonly newId: () => string;
}

export type Channel = 'content' | 'reasoning';

/** The state of an answer whose first text needed no reading. */
interface ReaderState {
  readonly channel: Channel;
  readonly isOpening: boolean;
  readonly isSplit: boolean;
}

const initialState: ReaderState = { channel: 'content', isOpening: true, isSplit: false };

const blanksMax = 4096;

/** Converts markup in the text of one choice while it arrives. Events are never taken back. */
export class MarkupReader {
  readonly #cursor = new Cursor();
  readonly #out: EventBuffer;
  readonly #textWriter: TextWriter;
  readonly #accumulator: ToolCallAccumulator;
  readonly #grammar: Grammar;
  readonly #unmarked: MarkupPrefilter;
  readonly #seesCalls: boolean;
  readonly #seesMarks: boolean;
  readonly #dropsReasoning: boolean;
  readonly #parse: Parse<never>;
  #span: ChannelSpan | undefined;
  #channel: Channel;
  /** No text has been written since the answer began or the last markup ended. */
  #isOpening: boolean;
  #last: 'call' | 'mark' | undefined;
  /** The provider separates reasoning itself. */
  #isSplit: boolean;
  #surrogate = '';

  constructor(options: MarkupOptions, { channel, isOpening, isSplit }: ReaderState = initialState) {
    const { grammar, seesCalls, seesMarks } = markupTerms(options);
    this.#channel = channel;
    this.#isOpening = isOpening;
    this.#isSplit = isSplit;
    this.#out = new EventBuffer(options.choice);
    this.#textWriter = new TextWriter(this.#out, options);
    this.#seesCalls = seesCalls;
    this.#seesMarks = seesMarks;
    this.#dropsReasoning = options.dropsReasoning;
    this.#accumulator = new ToolCallAccumulator(this.#cursor, this.#out, { ...options, seesCalls: this.#seesCalls });
    // A call ends the reasoning around it.
    this.#accumulator.onCall = () => {
      this.#textWriter.resolve('text');
      if (this.#span?.sink === 'reasoning') this.#span = undefined;
    };
    this.#grammar = grammar;
    this.#unmarked = prefilterFor(grammar);
    if (options.startsIn !== 'text') {
      this.#span = { sink: 'reasoning', closes: this.#grammar.reasoningCloses };
      this.#textWriter.beginDoubt(options.startsIn === 'reasoning');
    }
    this.#parse = this.#read();
  }

  get callCount(): number {
    return this.#out.callCount;
  }

  get steps(): number {
    return this.#cursor.steps;
  }

  /** Characters held until later text decides what they are. */
  get heldLength(): number {
    return this.#cursor.heldLength + this.#cursor.text.length - this.#cursor.at;
  }

  /** Whether text is held back until its kind is known. The answer has begun even so. */
  get isInDoubt(): boolean {
    return this.#textWriter.isHolding;
  }

  /** Whether a piece of text can be passed on unread. If so, it counts as written. */
  passes(text: string, channel: Channel): boolean {
    if (!this.#isPassing(channel) || endsInHalf(text) || (this.#isLooking && this.#unmarked.isMarked(text)))
      return false;
    this.#out.skipText();
    return true;
  }

  /** Like `passes`, for the text as a JSON literal: one character per byte, and only the shortest escapes. */
  passesLiteral(literal: string, channel: Channel): boolean {
    if (!this.#isPassing(channel) || (this.#isLooking && this.#unmarked.isLiteralMarked(literal))) return false;
    this.#out.skipText();
    return true;
  }

  push(text: string, channel: Channel, logprobs: Logprobs = []): readonly StreamEvent[] {
    if (channel !== this.#channel) this.#changeChannel(channel);
    if (logprobs.length > 0) this.#out.addLogprobs(logprobs, text, this.#cursor.position + this.#unreadLength());
    if (text === '') {
      if (logprobs.length > 0 && this.#unreadLength() === 0 && !this.#accumulator.isCalling)
        this.#out.writeRecords(this.#type());
      return this.#out.drain();
    }
    this.#cursor.push(this.#joinSurrogates(text));
    this.#parse.next();
    return this.#out.drain();
  }

  /** Called when the provider sends structured tool calls. Calls in the text repeat them and are dropped. */
  mute(): readonly StreamEvent[] {
    this.#accumulator.isMuted ||= this.callCount === 0;
    if (!this.#accumulator.isCalling) this.#flushHeld();
    return this.splitElsewhere();
  }

  /** Called when the provider separates reasoning or calls: the text then does not begin inside reasoning. */
  splitElsewhere(): readonly StreamEvent[] {
    if (this.#textWriter.isInDoubt && !this.#accumulator.isCalling) {
      this.#flushHeld();
      this.#textWriter.resolve('text');
      this.#span = undefined;
    }
    return this.#out.drain();
  }

  end(reason: FinishReason): readonly StreamEvent[] {
    this.#accumulator.reason = reason;
    this.#flushHeld();
    this.#textWriter.end(reason === 'stop' || reason === 'tool-calls');
    this.#cursor.isEnded = true;
    return this.#out.drain();
  }

  /** Whether text of this channel is passed on unchanged, as long as it contains no mark. */
  #isPassing(channel: Channel): boolean {
    const isBusy = this.#isOpening || this.#accumulator.isCalling || this.heldLength > 0 || this.#surrogate !== '';
    if (isBusy || channel !== this.#channel) return false;
    return channel === 'content' ? this.#sink() === 'text' : this.#sink() === 'reasoning' && !this.#dropsReasoning;
  }

  get #isLooking(): boolean {
    return this.#seesMarks || this.#span !== undefined;
  }

  /** Releases the text held back, because text of the other channel comes next. */
  #changeChannel(channel: Channel): void {
    if (!this.#accumulator.isCalling) {
      this.#flushHeld();
      this.#textWriter.resolve('text');
      this.#isOpening = true;
      if (channel === 'content') this.#span = undefined;
    }
    this.#channel = channel;
    this.#isSplit = true;
    if (channel === 'reasoning') this.#span = undefined;
  }

  #flushHeld(): void {
    this.#cursor.push(this.#surrogate);
    this.#surrogate = '';
    this.#cursor.isEnded = true;
    this.#parse.next();
    this.#cursor.isEnded = false;
  }

  #unreadLength(): number {
    return this.#cursor.text.length - this.#cursor.at;
  }

  /** Holds half a surrogate pair until its other half arrives. */
  #joinSurrogates(text: string): string {
    const all = this.#surrogate + text;
    const isHalf = endsInHalf(all);
    this.#surrogate = isHalf ? all.slice(-1) : '';
    return isHalf ? all.slice(0, -1) : all;
  }

  *#read(): Parse<never> {
    for (;;) {
      if (this.#isOpening) yield* this.#readOpening();
      else yield* this.#readText();
    }
  }

  /** Writes text up to the next character that may begin a mark. */
  *#readText(): Parse<void> {
    const cursor = this.#cursor;
    if (cursor.isDrained) {
      yield;
      return;
    }
    const end = this.#isLooking ? this.#unmarked.next(cursor.text, cursor.at) : cursor.text.length;
    this.#write(end - cursor.at);
    if (cursor.isDrained || (yield* this.#readMarkup(0))) return;
    this.#write(1);
  }

  /** Reads the beginning of the answer, or the text after markup. Blanks here belong to the text or mark after them. */
  *#readOpening(): Parse<void> {
    const cursor = this.#cursor;
    const max = this.#last ? blanksMax : firstBlanksMax;
    const blanks = yield* cursor.blanks(max);
    if (blanks <= max && cursor.at + blanks === cursor.text.length) {
      if (this.#last) this.#omit(blanks);
      else this.#write(blanks);
      yield;
      return;
    }
    if (blanks <= max && (yield* this.#readMarkup(blanks))) return;
    if (this.#last === 'mark' || (this.#span?.sink === 'reasoning' && !this.#last)) this.#omit(blanks);
    else this.#write(blanks);
    this.#isOpening = false;
  }

  /** Reads the markup at an offset. Returns false if it is only text. */
  *#readMarkup(offset: number): Parse<boolean> {
    for (const trie of this.#grammar.tries) {
      const found = yield* trie.find(this.#cursor, offset);
      for (const { length, items } of found) {
        for (const mark of items) {
          if (yield* this.#readMark(mark, offset, length)) {
            this.#isOpening = true;
            return true;
          }
        }
      }
    }
    return false;
  }

  *#readMark(mark: GrammarMark, offset: number, length: number): Parse<boolean> {
    switch (mark.kind) {
      case 'close':
        return this.#closeSpan(mark, offset + length);
      case 'span':
        return this.#openSpan(mark, offset + length);
      case 'call':
        return yield* this.#readCall(mark, offset, length);
      case 'channel':
        return yield* this.#readHeader(mark, offset, length);
      case 'leftover':
        return this.#isOpening && this.#last === 'call' && this.#seesCalls && this.#skip(offset + length, 'call');
      case 'end-of-text':
        return this.#seesMarks && (yield* this.#endOfText(offset + length));
      default:
        return mark satisfies never;
    }
  }

  #closeSpan({ literal, isMessageEnd }: Extract<GrammarMark, { kind: 'close' }>, length: number): boolean {
    const isEnd = this.#closesSpan(literal);
    const isAnywhere = isMessageEnd && this.#grammar.hasChannels;
    const isStray = (this.#isOpening || isAnywhere) && this.#span?.sink !== 'discarded' && this.#channel === 'content';
    if (!isEnd && !isStray) return false;
    if (isEnd) {
      this.#textWriter.resolve('reasoning');
      this.#span = undefined;
    }
    return this.#skip(length, 'mark');
  }

  #openSpan({ form, literal }: Extract<GrammarMark, { kind: 'span' }>, length: number): boolean {
    const isEnd = this.#closesSpan(literal);
    if (!(this.#isOpening || form.anywhere || isEnd) || this.#span?.sink === 'discarded') return false;
    if (this.#channel === 'content') {
      // If the provider separates reasoning itself, a tag in the text belongs to the text.
      if (this.#isSplit && form.sink === 'reasoning') return false;
      this.#textWriter.resolve(isEnd ? 'reasoning' : 'text');
      this.#span = form;
      if (form.isDoubtful) this.#textWriter.beginDoubt(false);
    } else if (form.sink !== 'reasoning') return false;
    return this.#skip(length, 'mark');
  }

  #closesSpan(literal: string): boolean {
    return this.#span?.closes.includes(literal) ?? false;
  }

  #skip(length: number, last: 'call' | 'mark'): true {
    this.#omit(length);
    this.#last = last;
    this.#out.endSection();
    return true;
  }

  *#readCall(mark: Extract<GrammarMark, { kind: 'call' }>, offset: number, length: number): Parse<boolean> {
    const { form, literal } = mark;
    if (!this.#seesCalls || this.#span?.sink === 'discarded' || (form.place === 'start' && !this.#isOpening))
      return false;
    if (form.opensFence && this.#out.isInCode) return false;
    this.#cursor.mark();
    this.#cursor.at += offset + (form.keep ? 0 : length);
    const isCall = yield* form.engine(this.#accumulator.createReading(form, literal));
    return this.#endAttempt(isCall, form.strength);
  }

  *#readHeader(mark: Extract<GrammarMark, { kind: 'channel' }>, offset: number, length: number): Parse<boolean> {
    const { form, literal, isWeak } = mark;
    if (!this.#isOpening && !this.#seesMarks && !this.#span) return false;
    if (isWeak && this.#last) return false;
    this.#cursor.mark();
    this.#cursor.at += offset + length;
    const opened = yield* readChannel(this.#accumulator.createReading(channelCall, literal), form);
    const isMarkup = this.#endAttempt(opened !== undefined, isWeak ? 'bare' : 'token');
    if (opened === undefined || opened === 'called') return isMarkup;
    this.#textWriter.resolve('text');
    this.#span = opened;
    this.#last = 'mark';
    return true;
  }

  /** Also drops a header that the end cut in two, if the length cut the answer or the provider reported calls. */
  #endAttempt(isMarkup: boolean, strength: CallForm['strength']): boolean {
    const isCutOff =
      this.#cursor.isEnded &&
      this.#cursor.isShort &&
      strength !== 'bare' &&
      (this.#accumulator.reason === 'length' || this.#accumulator.reason === 'tool-calls');
    if (isMarkup) this.#cursor.commit();
    else if (isCutOff) this.#cursor.at = this.#cursor.text.length;
    else this.#cursor.rollback();
    if (!isMarkup && !isCutOff) return false;
    this.#cursor.commit();
    this.#accumulator.isCalling = false;
    this.#last = 'call';
    this.#out.endSection();
    return true;
  }

  *#endOfText(length: number): Parse<boolean> {
    if (!(yield* isAllEnds(this.#cursor, this.#grammar, length))) return false;
    this.#cursor.at = this.#cursor.text.length;
    this.#last ??= 'mark';
    return true;
  }

  #sink(): ChannelSpan['sink'] {
    return this.#span?.sink === 'discarded' ? 'discarded' : this.#type() === 'text-delta' ? 'text' : 'reasoning';
  }

  #type(): 'text-delta' | 'reasoning-delta' {
    return this.#channel === 'reasoning' || this.#span?.sink === 'reasoning' ? 'reasoning-delta' : 'text-delta';
  }

  #write(length: number): void {
    if (length === 0) return;
    const { position } = this.#cursor;
    const text = this.#cursor.take(length);
    const type = this.#type();
    if (this.#span?.sink === 'discarded') return;
    this.#textWriter.write(type, text, position);
  }

  #omit(length: number): void {
    const { position } = this.#cursor;
    this.#textWriter.omit(this.#cursor.take(length), position);
  }
}

export function markupTerms({ format, tools, toolChoice, wantsJson }: MarkupOptions) {
  const isRequired = toolChoice === 'required' || typeof toolChoice === 'object';
  const grammar = grammarOf(format, { json: isRequired && !wantsJson });
  const seesCalls = format !== 'off' && tools.length > 0 && toolChoice !== 'none';
  // `seesMarks`: whether marks count in the middle of text.
  return { grammar, seesCalls, seesMarks: seesCalls || grammar.hasChannels };
}

export function endsInHalf(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}

const channelCall = { strength: 'token' } as const;
