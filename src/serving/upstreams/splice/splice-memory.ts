import { textOnlyDelta, emptyChunk } from 'chat-formats/chat-completions/answer/answer-decoder.ts';
import { spliceMembers } from 'chat-formats/json/json-splice.ts';
import { isBeyondAscii } from '../answer/utf8.ts';
import { isObject, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';
import { textOnlyChoice } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { learnTemplate, type TextOnlyDelta } from 'chat-formats/chat-completions/answer/delta-template.ts';

/** Enough for role, text, reasoning and several finish frames. */
const shapesMax = 8;

/** The first 64 frames without a matching shape are parsed to learn one. After that, every 61st is. */
const eagerAttempts = 64;
const attemptEvery = 61;

/** The shapes of the frames that one upstream sends for one model. Answers learn them, later ones use them. */
export class SpliceMemory {
  /** The last match comes first. */
  readonly shapes: FrameShape[] = [];
  #misses = 0;

  prefer(index: number): void {
    const [shape] = this.shapes.splice(index, 1);
    if (shape) this.shapes.unshift(shape);
  }

  /** Learns from a frame that matched no shape. The shape that has not matched for longest makes room. */
  learn(frame: string): void {
    this.#misses++;
    if (this.#misses > eagerAttempts && this.#misses % attemptEvery !== 0) return;
    const shape = learnShape(frame);
    if (!shape || this.shapes.some((known) => sourceOf(known) === sourceOf(shape))) return;
    this.shapes.unshift(shape);
    if (this.shapes.length > shapesMax) this.shapes.pop();
  }
}

function sourceOf(shape: FrameShape): string {
  return shape.head.source + (shape.type === 'empty' ? '' : shape.tail.source);
}

/** The form of all frames of one kind. The patterns are sticky and match frames with one character per byte. */
type FrameShape = TextShape | EmptyShape;

export interface TextShape {
  readonly type: 'text-delta' | 'reasoning-delta';
  /** From the start of the frame to the opening quote of the piece, inclusive. */
  readonly head: RegExp;
  /** From the closing quote to the blank line, inclusive. */
  readonly tail: RegExp;
}

interface EmptyShape {
  readonly type: 'empty';
  readonly head: RegExp;
  readonly finish: string | undefined;
}

/** The constant part of a frame is a few hundred bytes. */
const shapeBytesMax = 4096;

/** The members of a chunk that the decoder reads. All others may have any value. */
const readMembers: ReadonlySet<string> = new Set(['object', 'choices', 'usage', 'x_groq', 'error']);

/** Placeholders: these characters do not occur in JSON. */
const piece = '\u0000';
const anyWord = '\u0001';
const anyNumber = '\u0002';

/** The frame is one line of data and a blank line. `undefined` if it has no reusable shape. */
function learnShape(frame: string): FrameShape | undefined {
  const data = /^data: ?/.exec(frame)?.[0];
  if (data === undefined) return undefined;
  const payload = frame.slice(data.length, -blankLine.length);
  const chunk = parsedJson(payload);
  if (!isObject(chunk)) return undefined;
  const empty = emptyChunk(chunk);
  if (empty) {
    // The finish reason is read as bytes, one character for each.
    if (empty.finish !== undefined && isBeyondAscii(empty.finish)) return undefined;
    const head = pattern(data + withHoles(payload, chunk) + blankLine);
    return head && { type: 'empty', head, finish: empty.finish };
  }
  const delta = textOnlyChatDelta(chunk);
  return delta?.choice === 0 ? textShape(data, payload, chunk, delta) : undefined;
}

const blankLine = '\n\n';

function textShape(data: string, payload: string, chunk: WireObject, delta: TextOnlyDelta): TextShape | undefined {
  const template = learnTemplate(payload, delta, textOnlyChatDelta);
  if (!template) return undefined;
  const [before, after = ''] = withHoles(template.prefix + piece + template.suffix, chunk).split(piece);
  const head = pattern(data + before);
  const tail = pattern(after + blankLine);
  return head && tail && { type: delta.type, head, tail };
}

function textOnlyChatDelta(chunk: WireObject): TextOnlyDelta | undefined {
  return textOnlyDelta(chunk, textOnlyChoice);
}

/** Replaces values that differ between answers or chunks, such as ids, times and padding, with placeholders. */
function withHoles(payload: string, chunk: WireObject): string {
  const free = Object.keys(chunk).filter((name) => !readMembers.has(name));
  return spliceMembers(payload, new Map(free.map((name) => [name, hole])));
}

function hole(value: string): string {
  if (/^"[ !#-[\]-~]*"$/.test(value)) return `"${anyWord}"`;
  return /^(?:0|[1-9]\d{0,15})$/.test(value) ? anyNumber : value;
}

function pattern(text: string): RegExp | undefined {
  if (text.length > shapeBytesMax) return undefined;
  const source = text.replaceAll(
    /\W/g,
    (character) => holes.get(character) ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return new RegExp(source, 'y');
}

/** Strings without escapes, so that they end at the next quote, and integers in JSON notation. */
const holes: ReadonlyMap<string, string> = new Map([
  [anyWord, '[ !#-\\[\\]-~]*'],
  [anyNumber, '(?:0|[1-9]\\d{0,15})'],
]);
