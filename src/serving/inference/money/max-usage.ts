import { type UsageBounds, worstCase } from '../../../money/billing/ledger/cost.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Nano } from '../../../core/money.ts';
import { requestUnit } from './bill.ts';
import { promptTokensMax } from '../tokens/prompt-bound.ts';
import { toolUsesMax } from '../provider-tools.ts';

/** Output tokens to hold money for if neither the client nor the catalog caps the output. */
const outputTokensUnlessSaid = 32_768;

/** The maximum usage of a request. More is neither held nor charged. */
export function maxUsage(model: Model, request: ChatRequest): UsageBounds {
  const cap = request.maxTokens ?? model.maxOutputTokens ?? model.contextWindow ?? outputTokensUnlessSaid;
  return {
    promptTokens: promptTokensMax(request, model.contextWindow),
    outputTokens: cap * request.choices,
    toolUses: [...toolUsesMax(model, request), { tool: requestUnit, uses: 1 }],
  };
}

/** The amount to hold for a request. */
export function mostItCosts(model: Model, request: ChatRequest): Nano {
  return worstCase(maxUsage(model, request), model.price, request.priceOptions?.level);
}
