import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { PassThroughAnswer } from '../../../core/pass-through-call.ts';
import { spliceMembers } from 'chat-formats/json/json-splice.ts';
import { objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';

/** A larger answer is searched instead of parsed, because parsing would block the event loop. */
const readBytesMax = 1024 * 1024;
/** The members next to the data of a large answer are expected in this many bytes at its start and end. */
const edgeBytes = 4096;

export interface ReadAnswer {
  /** The whole answer; undefined if it is large. */
  readonly value: WireObject | undefined;
  readonly usage: WireObject | undefined;
}

/** Throws an upstream error if the answer is not a JSON object, so that the next provider is tried. */
export function readJsonAnswer({ contentType, body }: PassThroughAnswer): ReadAnswer {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType))
    throw unusableAnswer(`the provider answered with ${mediaType(contentType)}`);
  if (body.length > readBytesMax) {
    if (body[0] !== 0x7b) throw unusableAnswer('the answer is not a JSON object');
    return { value: undefined, usage: usageAtEdges(body) };
  }
  const value = objectOf(parsedJson(body.toString('utf8')));
  if (!value) throw unusableAnswer('the answer is not a JSON object');
  return { value, usage: objectOf(value['usage']) };
}

export function countMembers(body: Buffer, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + countOf(body, `"${name}"`), 0);
}

export function withModel(answer: PassThroughAnswer, model: string): PassThroughAnswer {
  const { body } = answer;
  const name = JSON.stringify(model);
  if (body.length <= readBytesMax) {
    return { ...answer, body: Buffer.from(spliceMembers(body.toString('utf8'), new Map([['model', name]]))) };
  }
  const head = body.subarray(0, edgeBytes).toString('latin1').replace(modelMember, latin1Member(name));
  const tail = body.subarray(-edgeBytes).toString('latin1').replace(modelMember, latin1Member(name));
  const middle = body.subarray(edgeBytes, -edgeBytes);
  return { ...answer, body: Buffer.concat([Buffer.from(head, 'latin1'), middle, Buffer.from(tail, 'latin1')]) };
}

export function unusableAnswer(why: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(why) });
}

export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() || 'no content type';
}

const modelMember = /"model"(\s*:\s*)"(?:[^"\\]|\\.)*"/;

function latin1Member(name: string): (found: string, colon: string) => string {
  const bytes = Buffer.from(name, 'utf8').toString('latin1');
  return (_found, colon) => `"model"${colon}${bytes}`;
}

function usageAtEdges(body: Buffer): WireObject | undefined {
  for (const edge of [body.subarray(-edgeBytes), body.subarray(0, edgeBytes)]) {
    const [, text = ''] = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/.exec(edge.toString('latin1')) ?? [];
    const usage = objectOf(parsedJson(text));
    if (usage) return usage;
  }
  return undefined;
}

function countOf(body: Buffer, needle: string): number {
  let count = 0;
  for (let at = body.indexOf(needle); at >= 0; at = body.indexOf(needle, at + needle.length)) count += 1;
  return count;
}
