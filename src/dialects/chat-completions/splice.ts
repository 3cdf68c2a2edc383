import { isUtf8 } from 'node:buffer';
import { CappedAnswer } from '../../core/capped-answer.ts';
import type { SplicedText } from '../../core/spliced-text.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import { UsageWait } from '../../core/usage-wait.ts';
import { type EventStreamDecoder, eventDataDecoder } from '../event-stream-decoder.ts';
import { byteText, isBeyondAscii, type Utf8Reader, utf8Reader } from '../utf8.ts';
import type { AnswerEncoding } from './answer-frames.ts';
import { type ChatDecoding, chatStreamDecoder } from './decode-stream.ts';
import { type ChatStreamEncoder, chatStreamEncoder, closePiece } from './encode-stream.ts';
import type { SpliceMemory } from './splice-memory.ts';
import type { TextShape } from './splice-shape.ts';
import { cutLiteral } from './cut-literal.ts';
import { SplicedPieces } from './spliced-pieces.ts';
import type { StreamDecoder } from './stream-decoder.ts';

/** What came of one read. */
export interface SpliceResult {
  /** What goes to the client for it, one character for each byte. Finishes and usage are not in it: they go with the end. */
  readonly frames: string;
  /** All that was said, in order. */
  readonly heard: readonly (StreamEvent | SplicedText)[];
}

export interface ChatSplicing {
  /** What is known of the provider's frames for this model; it learns from this answer. */
  readonly memory: SpliceMemory;
  readonly decoding: ChatDecoding;
  readonly encoding: AnswerEncoding;
  /** Where the answer is to be cut off, if its provider is not known to do so. */
  readonly maxTokens?: number | undefined;
}

/** A frame of a provider is a few hundred bytes. What is longer is left to the slow path, which is made for it. */
const heldBytesMax = 16 * 1024;
const readBytesMax = 1024 * 1024;

/**
 * Makes a client's frames of a provider's, both of the chat format. A frame that looks like those the provider sent
 * before, but for a piece of plain text, is not read: its text is copied as it stands into the client's frame. Every
 * other frame goes the slow path, by decoder and encoder, whose results are the same in every case; so does the rest
 * of a stream that is not one line of data after another.
 */
export class ChatSplice {
  readonly #memory: SpliceMemory;
  readonly #decoder: StreamDecoder;
  readonly #encoder: ChatStreamEncoder;
  readonly #openText: string;
  #openReasoning: string | undefined;
  readonly #capped: CappedAnswer | undefined;
  readonly #usageWait: UsageWait | undefined;
  /** Whether there is nothing but ASCII in all that is not said by the provider. */
  #isAscii: boolean;
  /** The beginning of a frame whose end has not come yet. */
  #held: Buffer | undefined;
  /** Reads the rest of the stream once it is not what is expected. */
  #rest: { readonly characters: Utf8Reader; readonly decoder: EventStreamDecoder } | undefined;
  #hasBegun = false;
  #isAlive = false;
  #frames = '';
  #heard: (StreamEvent | SplicedText)[] = [];
  /** The last that was heard, if it can be added to. */
  #pieces: SplicedPieces | undefined;

  constructor({ memory, decoding, encoding, maxTokens }: ChatSplicing) {
    this.#memory = memory;
    this.#decoder = chatStreamDecoder(decoding);
    this.#encoder = chatStreamEncoder(encoding);
    this.#capped = maxTokens === undefined ? undefined : new CappedAnswer(maxTokens);
    this.#usageWait = this.#capped && new UsageWait();
    this.#openText = byteText(`${this.#encoder.openPiece('text-delta')}"`);
    this.#isAscii = !isBeyondAscii(encoding.id + encoding.model + encoding.usageSource);
  }

  /** Whether the last read showed that the answer goes on. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The answer has begun, but its words are held back until it is known what they are. */
  get isHolding(): boolean {
    return this.#decoder.isHolding;
  }

  /** Nothing more of the answer will come, whatever bytes still do. */
  get isDone(): boolean {
    return this.isCut || this.#decoder.isDone;
  }

  /** The answer went on past its cap and was ended here: of what its provider still says only the usage is heard. */
  get isCut(): boolean {
    return this.#capped?.isCut === true;
  }

  /** The answer was cut, and its provider may still say what it used. */
  get isUsageDue(): boolean {
    return this.isCut && this.#usageWait?.isOver === false && !this.#decoder.isDone;
  }

  /** Throws when the provider failed, but never swallows what came before: then the next call throws. */
  push(bytes: Buffer): SpliceResult {
    this.#isAlive = false;
    if (this.#rest) this.#readRest(bytes);
    else this.#read(this.#held ? Buffer.concat([this.#held, bytes]) : bytes);
    return this.#taken();
  }

  /** The stream has ended. Throws unless the answer is complete. */
  end(): SpliceResult {
    if (this.isCut) return this.#taken();
    if (this.#held) this.#handOver(this.#held, 0);
    if (this.#rest) {
      const { characters, decoder } = this.#rest;
      const text = characters.end();
      const events = text === '' ? [] : decoder.push(text);
      this.#hear([...events, ...decoder.end()]);
    } else this.#hear(this.#decoder.end());
    return this.#taken();
  }

  /** The last frames of an answer that is complete: finishes, usage and the end mark. */
  done(usage: Usage): string {
    return this.#bytes(this.#encoder.encode([{ type: 'usage', usage }]) + this.#encoder.done());
  }

  #read(bytes: Buffer): void {
    const end = framesEnd(bytes);
    // A line that ends otherwise than expected would be waited for in vain.
    const isOdd = end < bytes.length && bytes.includes(carriageReturn, end);
    if (isOdd || bytes.length > readBytesMax || bytes.length - end > heldBytesMax) return this.#handOver(bytes, 0);
    // A copy, because the bytes belong to a socket's buffer that will be used again.
    this.#held = end === bytes.length ? undefined : Buffer.from(bytes.subarray(end));
    if (end === 0) return;
    // What failed behind something else is said now.
    if (this.#decoder.isDone) this.#decoder.push([]);
    const text = bytes.toString('latin1', 0, end);
    const isText = isUtf8(end === bytes.length ? bytes : bytes.subarray(0, end));
    for (let at = 0; at < end && !this.#rest && (!this.isDone || this.isUsageDue); ) {
      const next = isText && !this.isCut ? this.#splice(text, at) : -1;
      at = next < 0 ? this.#readFrame(bytes, text, at) : next;
    }
    this.#hasBegun = true;
  }

  /** Where the next frame begins, or -1 when the frame here must be read. */
  #splice(text: string, at: number): number {
    const { shapes } = this.#memory;
    for (let place = 0; place < shapes.length; place++) {
      const shape = shapes[place];
      if (!shape) continue;
      shape.head.lastIndex = at;
      if (!shape.head.test(text)) continue;
      const from = shape.head.lastIndex;
      const next = shape.type === 'still' ? from : this.#spliceText(text, from, shape);
      if (next < 0) continue;
      if (shape.type === 'still') this.#decoder.hearStill(shape);
      if (place > 0) this.#memory.prefer(place);
      this.#isAlive = true;
      return next;
    }
    return -1;
  }

  #spliceText(text: string, from: number, { type, tail }: TextShape): number {
    const to = closingQuote(text, from);
    tail.lastIndex = to;
    if (to < 0 || !tail.test(text)) return -1;
    const literal = text.slice(from, to);
    // Most pieces are plain: then one look tells both that they are fit and what they count.
    const units = this.#capped ? this.#capped.cap.plainUnits(text, from, to) : -1;
    if (literal === '' || (units < 0 && unfit.test(literal))) return -1;
    if (!this.#decoder.passesLiteral(type, literal)) return -1;
    const end = tail.lastIndex;
    if (this.#capped && units >= 0) this.#capped.cap.takePlain(units, text.charCodeAt(to - 1));
    const cut = this.#capped && units < 0 ? cutLiteral(type, literal, this.#capped) : undefined;
    if (cut) this.#pass(cut);
    else this.#say(type, literal);
    return end;
  }

  #say(type: TextShape['type'], literal: string): void {
    if (this.#pieces?.kind === type) this.#pieces.add(literal);
    else {
      this.#frames += this.#bytes(this.#encoder.begin(0));
      this.#pieces = new SplicedPieces(type, literal);
      this.#heard.push(this.#pieces);
    }
    this.#frames += (type === 'text-delta' ? this.#openText : this.#startReasoning()) + literal + close;
  }

  #startReasoning(): string {
    this.#openReasoning ??= byteText(`${this.#encoder.openPiece('reasoning-delta')}"`);
    return this.#openReasoning;
  }

  #bytes(own: string): string {
    return this.#isAscii ? own : byteText(own);
  }

  /** Reads one frame in full and learns from it; returns where the next one begins. */
  #readFrame(bytes: Buffer, text: string, at: number): number {
    if (text.charCodeAt(at) === lineFeed) return at + 1;
    const lineEnd = text.indexOf('\n', at);
    const frame = text.slice(at, lineEnd + 2);
    const isData = frame.startsWith('data:');
    if (!frame.endsWith('\n\n') || frame.includes('\r') || !(isData || frame.startsWith(':'))) {
      this.#handOver(bytes, at);
      return bytes.length;
    }
    if (isData) {
      const from = at + (frame.startsWith(' ', 'data:'.length) ? 'data: ' : 'data:').length;
      this.#isAlive = true;
      this.#decode(this.#decoder, [bytes.toString('utf8', from, lineEnd)]);
      if (!this.#decoder.isDone) this.#memory.look(frame);
    }
    return lineEnd + 2;
  }

  /** From here on everything goes the slow path. */
  #handOver(bytes: Buffer, at: number): void {
    const decoder = eventDataDecoder(this.#decoder);
    // Only what stands at the very beginning of a stream can be a byte order mark.
    if (this.#hasBegun || at > 0) decoder.push('\n');
    this.#rest = { characters: utf8Reader(), decoder };
    this.#held = undefined;
    this.#readRest(bytes.subarray(at));
  }

  #readRest(bytes: Buffer): void {
    if (!this.#rest) return;
    const { characters, decoder } = this.#rest;
    this.#decode(decoder, characters.push(bytes));
    this.#isAlive ||= decoder.isAlive;
  }

  /** A failure behind something else of the same read is thrown by the next call: the decoder remembers it. */
  #decode<Data>(decoder: { push(data: Data): readonly StreamEvent[] }, data: Data): void {
    let events: readonly StreamEvent[] = [];
    try {
      events = decoder.push(data);
    } catch (error) {
      if (this.#heard.length === 0) throw error;
    }
    this.#hear(events);
  }

  #hear(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    const capped = this.#capped;
    if (!capped) return this.#pass(events);
    const passed: StreamEvent[] = [];
    const behind: StreamEvent[] = [];
    for (const event of events) {
      if (capped.isCut) behind.push(event);
      else passed.push(...capped.pass(event));
    }
    this.#pass(passed);
    this.#heard.push(...(this.#usageWait?.hear(behind) ?? []));
  }

  #pass(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    this.#pieces = undefined;
    for (const event of events) {
      this.#heard.push(event);
      // The provider's word for it may go into the last frames.
      if (event.type === 'finish') this.#isAscii &&= !isBeyondAscii(event.raw);
    }
    this.#frames += byteText(this.#encoder.encode(events));
  }

  #taken(): SpliceResult {
    const spliced = { frames: this.#frames, heard: this.#heard };
    this.#pieces?.keep();
    this.#frames = '';
    this.#heard = [];
    this.#pieces = undefined;
    return spliced;
  }
}

const close = `"${closePiece}`;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const backslash = 0x5c;

/** Control characters, and escapes other than the short ones: JSON does not have them there, or has another way to write them. */
// oxlint-disable-next-line no-control-regex -- control characters are what JSON strings may not hold
const unfit = /[\u0000-\u001f]|\\[^"\\bfnrt]/;

/** Behind the last blank line; 0 when there is none. */
function framesEnd(bytes: Buffer): number {
  const { length } = bytes;
  if (length >= 2 && bytes[length - 1] === lineFeed && bytes[length - 2] === lineFeed) return length;
  const last = bytes.lastIndexOf('\n\n');
  return last < 0 ? 0 : last + 2;
}

/** Where a JSON string ends that begins behind its opening quote, or -1. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}
