import { type UsageBounds, worstCase } from '../../../money/billing/ledger/cost.ts';
import type { ChatRequest, NamedModel } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Nano } from '../../../core/money.ts';
import { requestUnit } from './bill.ts';
import { promptTokensMax, windowOf } from '../tokens/prompt-bound.ts';
import { drawnTokensMax, toolUsesMax } from '../provider-tools.ts';

/** Output tokens to hold money for if neither the client nor the catalog caps the output. */
const outputTokensUnlessSaid = 32_768;

/** The maximum usage of a request. More is neither held nor charged. */
export function maxUsage(model: Model, request: ChatRequest): UsageBounds {
  const cap = request.maxTokens ?? outputMax(model);
  return {
    promptTokens: promptTokensMax(request, model.contextWindow),
    outputTokens: cap * request.choices,
    toolUses: [...toolUsesMax(model, request), { tool: requestUnit, uses: 1 }],
  };
}

/** How often a provider summarizes a conversation for one answer: before it, and while it runs tools of its own. */
const compactionsMax = { alone: 2, withTools: 4 } as const;

/** The amount to hold for a request, with the calls that the provider may make beside the answer. */
export function mostItCosts(model: Model, request: ChatRequest): Nano {
  const { named = [], spending, providerTools, priceOptions } = request;
  const most = maxUsage(model, request);
  const level = priceOptions?.level;
  let amount = worstCase(most, model.price, level);
  for (const other of named) {
    amount += worstCase(boundsOf(other, request), other.model.price, level) * BigInt(other.uses);
  }
  if (!spending?.compacts) return amount;
  // A summary reads what the context window holds, which may be more than this request.
  const summary = { promptTokens: windowOf(model), outputTokens: outputMax(model), toolUses: [] };
  const times = providerTools.length > 0 ? compactionsMax.withTools : compactionsMax.alone;
  return amount + worstCase(summary, model.price, level) * BigInt(times);
}

/** The most that one call of another model uses. */
function boundsOf({ model, maxTokens, draws }: NamedModel, request: ChatRequest): UsageBounds {
  if (draws) return { promptTokens: drawnTokensMax, outputTokens: drawnTokensMax, toolUses: [] };
  const outputTokens = maxTokens ?? request.maxTokens ?? outputMax(model);
  return { promptTokens: promptTokensMax(request, model.contextWindow), outputTokens, toolUses: [] };
}

function outputMax({ maxOutputTokens, contextWindow }: Model): number {
  return maxOutputTokens ?? contextWindow ?? outputTokensUnlessSaid;
}
