import { isUtf8 } from 'node:buffer';
import { CappedAnswer } from 'chat-formats/chat/capped-answer.ts';
import { closingQuote } from 'chat-formats/json/json-tokens.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { UsageWait } from 'chat-formats/chat/usage-wait.ts';
import { type EventStreamDecoder, eventDataDecoder } from 'chat-formats/event-stream-decoder.ts';
import { byteText, isBeyondAscii, type Utf8Reader, utf8Reader } from '../answer/utf8.ts';
import type { AnswerEncoding, ChoicesEncoder } from 'chat-formats/chat-completions/answer/stream-encoder.ts';
import { type ChatDecoding, chatStreamDecoder } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { chatStreamEncoder, closePiece, openPiece } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import type { SpliceMemory, TextShape } from './splice-memory.ts';
import { cutLiteral } from './cut-literal.ts';
import { SplicedPieces } from './spliced-pieces.ts';
import type { StreamDecoder } from 'chat-formats/chat-completions/answer/stream-decoder.ts';

export interface SpliceResult {
  /** The frames for the client, one character for each byte, without finishes and usage: `done` returns those. */
  readonly frames: string;
  /** All decoded events and copied texts, in order. */
  readonly events: readonly (StreamEvent | SplicedText)[];
}

interface ChatSplicing {
  /** The known shapes of the provider's frames for this model. This answer adds to them. */
  readonly memory: SpliceMemory;
  readonly decoding: ChatDecoding;
  readonly encoding: AnswerEncoding;
  /** The token cap to enforce here, if the provider may not enforce it. */
  readonly maxTokens?: number | undefined;
}

/** A provider's frame is a few hundred bytes. Longer input is left to the slow path. */
const heldBytesMax = 16 * 1024;
const readBytesMax = 1024 * 1024;

/**
 * Converts a provider's chat frames to the client's chat frames. A frame that matches a known shape is not parsed: its
 * text is copied into the client's frame. Every other frame takes the slow path through decoder and encoder. Both paths
 * produce the same output. If a stream is not a sequence of single data lines, its remainder takes the slow path too.
 */
export class ChatSplice {
  readonly #memory: SpliceMemory;
  readonly #decoder: StreamDecoder;
  readonly #encoder: ChoicesEncoder;
  readonly #openText: string;
  #openReasoning: string | undefined;
  readonly #capped: CappedAnswer | undefined;
  readonly #usageWait: UsageWait | undefined;
  /** Whether all text in the frames that does not come from the provider is ASCII. */
  #isAscii: boolean;
  #held: Buffer | undefined;
  /** Set once the stream is not in the expected form; decodes its remainder. */
  #slowPath: { readonly characters: Utf8Reader; readonly decoder: EventStreamDecoder } | undefined;
  #hasBegun = false;
  /** Whether the last read contained a complete event. */
  isAlive = false;
  #frames = '';
  #events: (StreamEvent | SplicedText)[] = [];
  /** The last entry of the result, if another piece can be added to it. */
  #pieces: SplicedPieces | undefined;

  constructor({ memory, decoding, encoding, maxTokens }: ChatSplicing) {
    this.#memory = memory;
    this.#decoder = chatStreamDecoder(decoding);
    this.#encoder = chatStreamEncoder(encoding);
    this.#capped = maxTokens === undefined ? undefined : new CappedAnswer(maxTokens);
    this.#usageWait = this.#capped && new UsageWait();
    this.#openText = byteText(`${openPiece(0, this.#encoder.frames, 'text-delta')}"`);
    this.#isAscii = !isBeyondAscii(encoding.id + encoding.model + encoding.usageSource);
  }

  get isHolding(): boolean {
    return this.#decoder.isHolding;
  }

  /** The answer is complete, cut or failed. Later bytes are ignored. */
  get isDone(): boolean {
    return this.isCut || this.#decoder.isDone;
  }

  /** The answer exceeded its cap and was ended here. Of the provider's later events, only the usage is read. */
  get isCut(): boolean {
    return this.#capped?.isCut === true;
  }

  /** The answer was cut, and the provider may still send its usage. */
  get isUsageDue(): boolean {
    return this.isCut && this.#usageWait?.isOver === false && !this.#decoder.isDone;
  }

  /** Throws if the provider failed. If the same read also has content, returns that; then the next call throws. */
  push(bytes: Buffer): SpliceResult {
    this.isAlive = false;
    if (this.#slowPath) this.#readRemainder(bytes);
    else this.#read(this.#held ? Buffer.concat([this.#held, bytes]) : bytes);
    return this.#takeResult();
  }

  end(): SpliceResult {
    if (this.isCut) return this.#takeResult();
    if (this.#held) this.#switchToSlowPath(this.#held, 0);
    if (this.#slowPath) {
      const { characters, decoder } = this.#slowPath;
      const text = characters.end();
      const events = text === '' ? [] : decoder.push(text);
      this.#emitCapped([...events, ...decoder.end()]);
    } else this.#emitCapped(this.#decoder.end());
    return this.#takeResult();
  }

  done(usage: Usage): string {
    return this.#bytes(this.#encoder.encode([{ type: 'usage', usage }]) + this.#encoder.done());
  }

  #read(bytes: Buffer): void {
    const end = framesEnd(bytes);
    // A CR means other line ends: the blank line searched for would never come.
    const hasCarriageReturn = end < bytes.length && bytes.includes(carriageReturn, end);
    if (hasCarriageReturn || bytes.length > readBytesMax || bytes.length - end > heldBytesMax)
      return this.#switchToSlowPath(bytes, 0);
    // A copy, because the socket reuses its buffer.
    this.#held = end === bytes.length ? undefined : Buffer.from(bytes.subarray(end));
    if (end === 0) return;
    // Throws a failure that an earlier call deferred.
    if (this.#decoder.isDone) this.#decoder.push([]);
    const text = bytes.toString('latin1', 0, end);
    const isText = isUtf8(end === bytes.length ? bytes : bytes.subarray(0, end));
    for (let at = 0; at < end && !this.#slowPath && (!this.isDone || this.isUsageDue); ) {
      const next = isText && !this.isCut ? this.#splice(text, at) : -1;
      at = next < 0 ? this.#readFrame(bytes, text, at) : next;
    }
    this.#hasBegun = true;
  }

  /** Returns the start of the next frame, or -1 if this frame must be parsed. */
  #splice(text: string, at: number): number {
    const { shapes } = this.#memory;
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index];
      if (!shape) continue;
      shape.head.lastIndex = at;
      if (!shape.head.test(text)) continue;
      const from = shape.head.lastIndex;
      const next = shape.type === 'empty' ? from : this.#spliceText(text, from, shape);
      if (next < 0) continue;
      if (shape.type === 'empty') this.#decoder.answer.applyEmptyChunk(shape);
      if (index > 0) this.#memory.prefer(index);
      this.isAlive = true;
      return next;
    }
    return -1;
  }

  #spliceText(text: string, from: number, { type, tail }: TextShape): number {
    const to = closingQuote(text, from);
    tail.lastIndex = to;
    if (to < 0 || !tail.test(text)) return -1;
    const literal = text.slice(from, to);
    // For most pieces, one scan both validates the text and counts it against the cap.
    const units = this.#capped ? this.#capped.cap.plainUnits(text, from, to) : -1;
    if (literal === '' || (units < 0 && unsupported.test(literal))) return -1;
    if (!this.#decoder.answer.passesLiteral(type, literal)) return -1;
    const end = tail.lastIndex;
    if (this.#capped && units >= 0) this.#capped.cap.takePlain(units, text.charCodeAt(to - 1));
    const cut = this.#capped && units < 0 ? cutLiteral(type, literal, this.#capped) : undefined;
    if (cut) this.#write(cut);
    else this.#copyText(type, literal);
    return end;
  }

  #copyText(type: TextShape['type'], literal: string): void {
    if (this.#pieces?.kind === type) this.#pieces.add(literal);
    else {
      this.#frames += this.#bytes(this.#encoder.begin(0));
      this.#pieces = new SplicedPieces(type, literal);
      this.#events.push(this.#pieces);
    }
    this.#frames += (type === 'text-delta' ? this.#openText : this.#reasoningStart()) + literal + close;
  }

  #reasoningStart(): string {
    return (this.#openReasoning ??= byteText(`${openPiece(0, this.#encoder.frames, 'reasoning-delta')}"`));
  }

  #bytes(own: string): string {
    return this.#isAscii ? own : byteText(own);
  }

  /** Decodes one frame completely and learns from it. Returns the start of the next one. */
  #readFrame(bytes: Buffer, text: string, at: number): number {
    if (text.charCodeAt(at) === lineFeed) return at + 1;
    const lineEnd = text.indexOf('\n', at);
    const frame = text.slice(at, lineEnd + 2);
    const isData = frame.startsWith('data:');
    if (!frame.endsWith('\n\n') || frame.includes('\r') || !(isData || frame.startsWith(':'))) {
      this.#switchToSlowPath(bytes, at);
      return bytes.length;
    }
    if (isData) {
      const from = at + (frame.startsWith(' ', 'data:'.length) ? 'data: ' : 'data:').length;
      this.isAlive = true;
      this.#decode(this.#decoder, [bytes.toString('utf8', from, lineEnd)]);
      if (!this.#decoder.isDone) this.#memory.learn(frame);
    }
    return lineEnd + 2;
  }

  #switchToSlowPath(bytes: Buffer, at: number): void {
    const decoder = eventDataDecoder(this.#decoder);
    // A byte order mark is recognised only at the very start of a stream.
    if (this.#hasBegun || at > 0) decoder.push('\n');
    this.#slowPath = { characters: utf8Reader(), decoder };
    this.#held = undefined;
    this.#readRemainder(bytes.subarray(at));
  }

  #readRemainder(bytes: Buffer): void {
    if (!this.#slowPath) return;
    const { characters, decoder } = this.#slowPath;
    this.#decode(decoder, characters.push(bytes));
    this.isAlive ||= decoder.isAlive;
  }

  /** If the read already has content, a failure is thrown by the next call: the decoder keeps it. */
  #decode<Data>(decoder: { push(data: Data): readonly StreamEvent[] }, data: Data): void {
    let events: readonly StreamEvent[] = [];
    try {
      events = decoder.push(data);
    } catch (error) {
      if (this.#events.length === 0) throw error;
    }
    this.#emitCapped(events);
  }

  #emitCapped(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    const capped = this.#capped;
    if (!capped) return this.#write(events);
    const passed: StreamEvent[] = [];
    const afterCut: StreamEvent[] = [];
    for (const event of events) {
      if (capped.isCut) afterCut.push(event);
      else passed.push(...capped.pass(event));
    }
    this.#write(passed);
    this.#events.push(...(this.#usageWait?.read(afterCut) ?? []));
  }

  #write(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    this.#pieces = undefined;
    for (const event of events) {
      this.#events.push(event);
      // The provider's finish reason may be part of the last frames.
      if (event.type === 'finish') this.#isAscii &&= !isBeyondAscii(event.raw);
    }
    this.#frames += byteText(this.#encoder.encode(events));
  }

  #takeResult(): SpliceResult {
    const spliced = { frames: this.#frames, events: this.#events };
    this.#pieces?.detach();
    this.#frames = '';
    this.#events = [];
    this.#pieces = undefined;
    return spliced;
  }
}

const close = `"${closePiece}`;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** JSON strings may not hold control characters; other escapes than the short ones have another notation. */
// oxlint-disable-next-line no-control-regex -- control characters are what JSON strings may not hold
const unsupported = /[\u0000-\u001f]|\\[^"\\bfnrt]/;

/** The end of the last blank line; 0 if there is none. */
function framesEnd(bytes: Buffer): number {
  const { length } = bytes;
  if (length >= 2 && bytes[length - 1] === lineFeed && bytes[length - 2] === lineFeed) return length;
  const last = bytes.lastIndexOf('\n\n');
  return last < 0 ? 0 : last + 2;
}
