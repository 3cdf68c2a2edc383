import type { Usage } from '../core/usage.ts';

/** A token of output keeps a slot for about as long as several tokens of prompt do. */
const outputWeight = 4;

/** How much of an upstream a request takes, in tokens of prompt. */
export function requestCost(promptTokens: number, outputTokens: number): number {
  return Math.max(1, promptTokens + outputWeight * outputTokens);
}

/** The same of an answer whose provider told what it used. */
export function usedCost({ promptTokens, completionTokens }: Usage): number {
  return requestCost(promptTokens, completionTokens);
}

/** Tokens of a prompt by the size of its request: rough, but known before anyone has counted. */
export function promptTokensIn(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

const bytesPerToken = 4;
