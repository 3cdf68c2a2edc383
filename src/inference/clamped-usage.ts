import type { Usage } from '../core/usage.ts';

/** A provider's figures within what is possible: nobody pays for more tokens than the model can hold. */
export function clampedUsage(
  usage: Usage,
  contextWindow: number | undefined,
): { readonly usage: Usage; readonly notes: readonly string[] } {
  if (contextWindow === undefined) return { usage, notes: [] };
  const promptTokens = Math.min(usage.promptTokens, contextWindow);
  const completionTokens = Math.min(usage.completionTokens, contextWindow);
  if (promptTokens === usage.promptTokens && completionTokens === usage.completionTokens) return { usage, notes: [] };
  const told = `${usage.promptTokens} prompt and ${usage.completionTokens} completion tokens`;
  return {
    usage: { ...usage, promptTokens, completionTokens },
    notes: [`the provider told ${told}, more than the context window of ${contextWindow}`],
  };
}
