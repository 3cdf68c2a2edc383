import type { Logprobs, TokenAlternative } from '../../core/chat/stream-event.ts';

const candidates = [
  ' the',
  ' a',
  ' to',
  ' of',
  ' and',
  ' in',
  ' is',
  ' it',
  ' you',
  ' that',
  ' for',
  ' on',
  ' with',
  ' as',
  ' at',
  ' by',
  ' be',
  ' or',
  ' not',
  ' so',
  ' if',
];

/** Returns made-up log probabilities for a token: plausible, the same each time, in descending order. */
export function simulatedLogprobs(token: string, topLogprobs: number | undefined): Logprobs {
  const chosen = alternative(token, -0.01 - (checksum(token) % 100) / 200);
  if (topLogprobs === undefined) return [{ ...chosen, alternatives: undefined }];
  const others = candidates
    .filter((candidate) => candidate !== token)
    .map((candidate, index) => alternative(candidate, chosen.logprob - 1 - index / 4));
  return [{ ...chosen, alternatives: [chosen, ...others].slice(0, topLogprobs) }];
}

function alternative(token: string, logprob: number): TokenAlternative {
  return { token, logprob: Math.round(logprob * 1e4) / 1e4, bytes: [...Buffer.from(token)] };
}

function checksum(text: string): number {
  let sum = 7;
  for (const byte of Buffer.from(text)) sum = (sum * 31 + byte) % 65_521;
  return sum;
}
