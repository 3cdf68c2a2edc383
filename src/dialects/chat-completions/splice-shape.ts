import { plainDelta, stillChunk } from './answer-decoder.ts';
import { spliceMembers } from '../json-splice.ts';
import { isBeyondAscii } from '../utf8.ts';
import { isObject, parsedJson, type WireObject } from '../wire-value.ts';
import { plainText } from './decode-stream.ts';
import { learnTemplate, type PlainDelta } from './delta-template.ts';

/**
 * What the frames of one kind that a provider sends have in common, whichever answer they belong to. Both patterns are
 * sticky and read frames as one character for each byte.
 */
export type FrameShape = TextShape | StillShape;

/** A frame that brings one piece of text of the first choice and nothing else. */
export interface TextShape {
  readonly type: 'text-delta' | 'reasoning-delta';
  /** Up to and with the opening quote of the piece. */
  readonly head: RegExp;
  /** From the closing quote up to and with the blank line. */
  readonly tail: RegExp;
}

/** A frame of the first choice that says nothing, or only why the answer ends. */
export interface StillShape {
  readonly type: 'still';
  readonly head: RegExp;
  readonly finish: string | undefined;
}

/** What a provider repeats is a few hundred bytes. */
const shapeBytesMax = 4096;

/** Members of a chunk that are looked at. The value of any other can be whatever it wants. */
const lookedAt: ReadonlySet<string> = new Set(['object', 'choices', 'usage', 'x_groq', 'error']);

/** No JSON holds these, so each can stand for something in it. */
const piece = '\u0000';
const anyWord = '\u0001';
const anyNumber = '\u0002';

/** Learns the shape of a frame, which is one line of data and the blank line behind it, if other frames can have it. */
export function learnShape(frame: string): FrameShape | undefined {
  const data = /^data: ?/.exec(frame)?.[0];
  if (data === undefined) return undefined;
  const payload = frame.slice(data.length, -blankLine.length);
  const chunk = parsedJson(payload);
  if (!isObject(chunk)) return undefined;
  const still = stillChunk(chunk);
  if (still) {
    // Its word is read from bytes, one character for each.
    if (still.finish !== undefined && isBeyondAscii(still.finish)) return undefined;
    const head = pattern(data + withHoles(payload, chunk) + blankLine);
    return head && { type: 'still', head, finish: still.finish };
  }
  const plain = plainChatDelta(chunk);
  return plain?.choice === 0 ? textShape(data, payload, { chunk, plain }) : undefined;
}

const blankLine = '\n\n';

function textShape(
  data: string,
  payload: string,
  { chunk, plain }: { readonly chunk: WireObject; readonly plain: PlainDelta },
): TextShape | undefined {
  const template = learnTemplate(payload, plain, plainChatDelta);
  if (!template) return undefined;
  const [before, behind = ''] = withHoles(template.prefix + piece + template.suffix, chunk).split(piece);
  const head = pattern(data + before);
  const tail = pattern(behind + blankLine);
  return head && tail && { type: plain.type, head, tail };
}

function plainChatDelta(chunk: WireObject): PlainDelta | undefined {
  return plainDelta(chunk, plainText);
}

/** What differs between answers, and in some of them from chunk to chunk: ids, times, padding. */
function withHoles(payload: string, chunk: WireObject): string {
  const free = Object.keys(chunk).filter((name) => !lookedAt.has(name));
  return spliceMembers(payload, new Map(free.map((name) => [name, hole])));
}

function hole(value: string): string {
  if (/^"[ !#-[\]-~]*"$/.test(value)) return `"${anyWord}"`;
  return /^(?:0|[1-9]\d{0,15})$/.test(value) ? anyNumber : value;
}

function pattern(text: string): RegExp | undefined {
  if (text.length > shapeBytesMax) return undefined;
  const source = text.replaceAll(/\W/g, (character) => holes.get(character) ?? escaped(character));
  return new RegExp(source, 'y');
}

/** Words without escapes, so that they end at the next quote, and whole numbers as JSON writes them. */
const holes: ReadonlyMap<string, string> = new Map([
  [anyWord, '[ !#-\\[\\]-~]*'],
  [anyNumber, '(?:0|[1-9]\\d{0,15})'],
]);

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
