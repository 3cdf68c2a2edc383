import type { Logprobs, TokenAlternative, TokenLogprob } from '../../chat/stream-event.ts';
import { isObject, listOf, objectOf, type WireObject } from '../../wire-value.ts';

/** The contract's value for a token outside the candidates. Also used if a provider sends no number. */
export const outsideCandidates = -9999;

/** Some providers do not separate the logprobs of reasoning: those of a chunk with only reasoning belong to it. */
export function decodeLogprobs(value: unknown, decoded: { readonly text: string; readonly reasoning: string }) {
  const wire = objectOf(value);
  const content = tokenRecords(wire?.content);
  const reasoning = tokenRecords(wire?.reasoning_content);
  const isReasoningOnly = decoded.text === '' && decoded.reasoning !== '';
  return isReasoningOnly && reasoning.length === 0 ? { text: [], reasoning: content } : { text: content, reasoning };
}

/** Decodes a list of token logprobs. All formats of this family use the same one. */
export function tokenRecords(value: unknown): Logprobs {
  return listOf(value).filter(isObject).map(decodeToken);
}

function decodeToken(wire: WireObject): TokenLogprob {
  const { top_logprobs: top } = wire;
  const alternatives = Array.isArray(top) ? top.filter(isObject).map(decodeAlternative) : undefined;
  return { ...decodeAlternative(wire), alternatives };
}

function decodeAlternative(wire: WireObject): TokenAlternative {
  return {
    token: typeof wire.token === 'string' ? wire.token : '',
    logprob: typeof wire.logprob === 'number' && Number.isFinite(wire.logprob) ? wire.logprob : outsideCandidates,
    bytes: isBytes(wire.bytes) ? wire.bytes : null,
  };
}

function isBytes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
}

export function encodeLogprobs(type: 'text-delta' | 'reasoning-delta', logprobs: Logprobs) {
  const records = logprobs.map(encodeToken);
  return type === 'text-delta'
    ? { content: records, reasoning_content: null }
    : { content: [], reasoning_content: records };
}

function encodeToken(record: TokenLogprob) {
  const { alternatives } = record;
  return { ...encodeAlternative(record), ...(alternatives && { top_logprobs: alternatives.map(encodeAlternative) }) };
}

function encodeAlternative({ token, logprob, bytes }: TokenAlternative) {
  return { token, logprob, bytes };
}
