import { GatewayError } from '../../core/gateway-error.ts';
import type { PassThroughAnswer } from '../../core/pass-through-call.ts';
import { spliceMembers } from '../../dialects/json-splice.ts';
import { objectOf, parsedJson, type WireObject } from '../../dialects/wire-value.ts';

/** A larger answer is searched and not read: reading it would hold up everybody else. */
const readBytesMax = 1024 * 1024;
/** What stands beside the data of a large answer is in so many bytes of its beginning and its end. */
const edgeBytes = 4096;

/** A JSON answer, as much of it as has to be known. */
export interface ReadAnswer {
  /** All of it, unless it is large. */
  readonly value: WireObject | undefined;
  readonly usage: WireObject | undefined;
}

/** Reads a provider's JSON; throws what sends the request on to the next provider where it is none. */
export function readJsonAnswer({ contentType, body }: PassThroughAnswer): ReadAnswer {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType))
    throw useless(`it answered with ${mediaType(contentType)}`);
  if (body.length > readBytesMax) {
    if (body[0] !== 0x7b) throw useless('its answer is no JSON object');
    return { value: undefined, usage: usageAtEdges(body) };
  }
  const value = objectOf(parsedJson(body.toString('utf8')));
  if (!value) throw useless('its answer is no JSON object');
  return { value, usage: objectOf(value['usage']) };
}

/** How often a large answer has one of these members. */
export function countMembers(body: Buffer, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + countOf(body, `"${name}"`), 0);
}

/** The answer under the catalog's name for the model. */
export function underName(answer: PassThroughAnswer, model: string): PassThroughAnswer {
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

/** An answer that is of no use, in words for the operators. */
export function useless(why: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(why) });
}

/** The name of a content type, as far as it is one. */
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
