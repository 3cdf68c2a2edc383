import type { ContextOverflow } from '../../core/gateway-error.ts';

/** The words by which clients of this format know that they must compact the conversation, with what figures there are. */
export function overflowWords(overflow: ContextOverflow | undefined): string {
  const { promptTokens, tokensMax } = overflow ?? {};
  if (promptTokens === undefined) return 'prompt is too long';
  const limit = tokensMax === undefined ? '' : ` > ${tokensMax} maximum`;
  return `prompt is too long: ${promptTokens} tokens${limit}`;
}
