import type { ChatRequest } from '../core/chat-request.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/model.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import { promptText } from './prompt-text.ts';

/** A prompt that did not fit, with the figures its provider did not give: clients compact by how far it was too long. */
export function withFigures(error: unknown, model: Model, request: ChatRequest): unknown {
  if (!(error instanceof GatewayError) || error.case !== 'context-overflow') return error;
  const tokensMax = error.overflow?.tokensMax ?? model.contextWindow;
  // An estimate may be too low, but the provider has said on which side of the limit the prompt lies.
  const estimate = () => Math.max(estimatedTokens(promptText(request)), (tokensMax ?? 0) + 1);
  const promptTokens = error.overflow?.promptTokens ?? estimate();
  return new GatewayError(error.case, { overflow: { promptTokens, tokensMax }, cause: error.cause });
}
