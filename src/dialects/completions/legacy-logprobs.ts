import type { Logprobs, TokenAlternative } from '../../core/chat/stream-event.ts';
import { decodeLogprobs, outsideCandidates } from '../chat-completions/answer/logprobs.ts';
import { isObject, listOf, objectOf, type WireObject } from '../wire-value.ts';

/** Reads the legacy form, four parallel lists. Some providers use the newer form here too. */
export function decodeLegacyLogprobs(value: unknown): Logprobs {
  const wire = objectOf(value);
  if (!wire) return [];
  if (Array.isArray(wire.content)) return decodeLogprobs(wire, { text: '', reasoning: '' }).text;
  const logprobs = listOf(wire.token_logprobs);
  const top = Array.isArray(wire.top_logprobs) ? wire.top_logprobs : undefined;
  return listOf(wire.tokens).map((token, index) => ({
    ...alternative(String(token), logprobs[index]),
    alternatives: isObject(top?.[index]) ? alternatives(top[index]) : undefined,
  }));
}

/** Writes the legacy form as JSON text; `offset` is the position of the first token in the text of its choice. */
export function encodeLegacyLogprobs(logprobs: Logprobs, offset: number): string {
  const offsets: number[] = [];
  let next = offset;
  for (const { token } of logprobs) {
    offsets.push(next);
    next += token.length;
  }
  const tokens = JSON.stringify(logprobs.map(({ token }) => token));
  const values = JSON.stringify(logprobs.map(({ logprob }) => logprob));
  const top = logprobs.map(({ alternatives }) => (alternatives ? alternativesText(alternatives) : 'null')).join(',');
  return `{"tokens":${tokens},"token_logprobs":${values},"top_logprobs":[${top}],"text_offset":${JSON.stringify(offsets)}}`;
}

function alternatives(byToken: WireObject): readonly TokenAlternative[] {
  return Object.entries(byToken).map(([token, logprob]) => alternative(token, logprob));
}

/** The legacy form has no bytes. */
function alternative(token: string, logprob: unknown): TokenAlternative {
  const isNumber = typeof logprob === 'number' && Number.isFinite(logprob);
  return { token, logprob: isNumber ? logprob : outsideCandidates, bytes: null };
}

/** Written as text, because a token may be `__proto__`. */
function alternativesText(list: readonly TokenAlternative[]): string {
  return `{${list.map(({ token, logprob }) => `${JSON.stringify(token)}:${JSON.stringify(logprob)}`).join(',')}}`;
}
