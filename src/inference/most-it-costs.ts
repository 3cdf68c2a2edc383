import { worstCase } from '../billing/cost.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Model } from '../core/model.ts';
import type { Nano } from '../core/money.ts';
import { promptTokensMax } from './prompt-bound.ts';
import { toolUsesMax } from './provider-tools.ts';

/** Where neither the client nor the catalog caps the output, this is held for it. */
const outputTokensUnlessSaid = 32_768;

/** What is held for a request: no answer to it costs more. */
export function mostItCosts(model: Model, request: ChatRequest): Nano {
  const cap = request.maxTokens ?? model.maxOutputTokens ?? model.contextWindow ?? outputTokensUnlessSaid;
  const promptTokens = promptTokensMax(request, model.contextWindow);
  return worstCase(
    { promptTokens, outputTokens: cap * request.choices, toolUses: toolUsesMax(model, request) },
    model.price,
  );
}
