import type { Logprobs, TokenAlternative, TokenLogprob } from '../../core/stream-event.ts';
import { isObject, listOf, objectOf, type WireObject } from '../wire-value.ts';
import type { DecodedContent } from './decode-content.ts';

/** The contract's value for a token outside the candidates, also used where a provider gives no number. */
export const outsideCandidates = -9999;

/** The records of one chunk, each with the text it belongs to. */
export interface DecodedLogprobs {
  readonly text: Logprobs;
  readonly reasoning: Logprobs;
}

/** Not every provider keeps the records of reasoning apart; then they belong to the only text there is. */
export function decodeLogprobs(value: unknown, said: DecodedContent): DecodedLogprobs {
  const wire = objectOf(value);
  const content = tokenRecords(wire?.content);
  const reasoning = tokenRecords(wire?.reasoning_content);
  const isReasoningOnly = said.text === '' && said.reasoning !== '';
  return isReasoningOnly && reasoning.length === 0 ? { text: [], reasoning: content } : { text: content, reasoning };
}

/** A list of records of tokens, as every format of this family writes them. */
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
