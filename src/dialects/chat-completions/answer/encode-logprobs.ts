import type { Logprobs, TokenAlternative, TokenLogprob } from '../../../core/chat/stream-event.ts';

/** The contract's logprobs of one piece of text or reasoning. */
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
