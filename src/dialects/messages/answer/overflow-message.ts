import type { ContextOverflow } from '../../../core/gateway-error.ts';

/**
 * The message by which clients of this format detect that they must compact the conversation, with the known token
 * counts.
 */
export function overflowMessage(overflow: ContextOverflow | undefined): string {
  const { promptTokens, tokensMax } = overflow ?? {};
  if (promptTokens === undefined) return 'prompt is too long';
  const limit = tokensMax === undefined ? '' : ` > ${tokensMax} maximum`;
  return `prompt is too long: ${promptTokens} tokens${limit}`;
}
