import type { Logprobs, TokenAlternative } from '../chat/stream-event.ts';
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

/** The legacy form; `offset` is the position of the first token in the text of its choice. */
export function encodeLegacyLogprobs(logprobs: Logprobs, offset: number) {
  let next = offset;
  const offsets = logprobs.map(({ token }) => {
    next += token.length;
    return next - token.length;
  });
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ alternatives: list }) => (list ? byToken(list) : null)),
    text_offset: offsets,
  };
}

function alternatives(byToken: WireObject): readonly TokenAlternative[] {
  return Object.entries(byToken).map(([token, logprob]) => alternative(token, logprob));
}

/** The legacy form has no bytes. */
function alternative(token: string, logprob: unknown): TokenAlternative {
  const isNumber = typeof logprob === 'number' && Number.isFinite(logprob);
  return { token, logprob: isNumber ? logprob : outsideCandidates, bytes: null };
}

/** `fromEntries` makes a member of every token, also of `__proto__`. */
function byToken(list: readonly TokenAlternative[]): Readonly<Record<string, number>> {
  return Object.fromEntries(list.map(({ token, logprob }) => [token, logprob]));
}
