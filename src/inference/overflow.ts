import type { ChatRequest } from '../core/chat/chat-request.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/chat/model.ts';
import { estimatedTokens } from './tokens/estimated-tokens.ts';
import { promptText } from './tokens/prompt-text.ts';

/** Adds missing token counts to a context overflow error: clients decide by them how much to compact. */
export function withFigures(error: unknown, model: Model, request: ChatRequest): unknown {
  if (!(error instanceof GatewayError) || error.case !== 'context-overflow') return error;
  const tokensMax = error.overflow?.tokensMax ?? model.contextWindow;
  // The estimate may be too low, but the provider has reported that the prompt exceeds the limit.
  const estimate = () => Math.max(estimatedTokens(promptText(request)), (tokensMax ?? 0) + 1);
  const promptTokens = error.overflow?.promptTokens ?? estimate();
  return new GatewayError(error.case, { overflow: { promptTokens, tokensMax }, cause: error.cause });
}
