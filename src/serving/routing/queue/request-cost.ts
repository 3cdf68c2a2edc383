import type { Usage } from 'chat-formats/chat/usage.ts';

/** One output token occupies a slot for about as long as several prompt tokens. */
const outputWeight = 4;

/** The cost of a request at an upstream, in prompt tokens. */
export function requestCost(promptTokens: number, outputTokens: number): number {
  return Math.max(1, promptTokens + outputWeight * outputTokens);
}

/** The same, from the usage that the provider reported. */
export function usedCost({ promptTokens, completionTokens }: Usage): number {
  return requestCost(promptTokens, completionTokens);
}

/** Estimates the prompt tokens from the size of a request: rough, but available before anything is counted. */
export function promptTokensIn(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

const bytesPerToken = 4;
