import { type UsageBounds, usePrice } from '../../money/billing/ledger/cost.ts';
import type { ChatRequest, ProviderTool } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';

/** More than a provider runs a tool for one answer if the request sets no limit. */
const usesUnlessSaid = 20;

/** How often the provider may run each of its own tools for this request. Throws if a tool has no price. */
export function toolUsesMax(model: Model, { providerTools }: ChatRequest): UsageBounds['toolUses'] {
  return providerTools.map((tool) => {
    if (usePrice(tool.name, model.price) === undefined) throw unpriced(model, tool);
    return { tool: tool.name, uses: tool.usesMax ?? usesUnlessSaid };
  });
}

function unpriced({ id }: Model, { name, field }: ProviderTool): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} asks for the provider tool ${name}, but ${id} has no price for it: remove it, or ask the operator to list ${name} under the model's \`price.provider_tools\``,
  });
}
