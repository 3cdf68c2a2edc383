import { type UsageBounds, usePrice } from '../billing/cost.ts';
import type { ChatRequest, ProviderTool } from '../core/chat-request.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/model.ts';

/** More than a provider runs a tool for one answer where nobody says how often it may. */
const usesUnlessSaid = 20;

/** How often the provider may run each of its own tools for this request. A tool without a price is refused. */
export function toolUsesMax(model: Model, { providerTools }: ChatRequest): UsageBounds['toolUses'] {
  return providerTools.map((tool) => {
    if (usePrice(tool.name, model.price) === undefined) throw unpriced(model, tool);
    return { tool: tool.name, uses: tool.usesMax ?? usesUnlessSaid };
  });
}

function unpriced({ id }: Model, { name, field }: ProviderTool): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} has the provider run ${name}, for which ${id} has no price here: leave it out, or ask the operator to list ${name} under the model's \`price.provider_tools\``,
  });
}
