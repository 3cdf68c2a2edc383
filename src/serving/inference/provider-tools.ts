import { type UsageBounds, usePrice } from '../../money/billing/ledger/cost.ts';
import type { ChatRequest, ProviderTool } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';

/** More than a provider runs a tool for one answer if the request sets no limit. */
const usesUnlessSaid = 20;

/** How often the provider may run each of its own tools for this request. Throws if a tool has no price. */
export function toolUsesMax(model: Model, { providerTools }: ChatRequest): UsageBounds['toolUses'] {
  return providerTools.flatMap((tool) => {
    if (usePrice(tool.name, model.price) === undefined) throw unpriced(model, tool);
    const uses = tool.usesMax ?? usesUnlessSaid;
    const most = { tool: tool.name, uses };
    if (tool.name !== 'image_generation') return [most];
    return [
      most,
      { tool: drawnTokens.input, uses: uses * drawnTokensMax },
      { tool: drawnTokens.output, uses: uses * drawnTokensMax },
    ];
  });
}

/** The tokens of the model with which a tool draws, as the price list names them. */
export const drawnTokens = {
  input: 'image_generation_input_tokens',
  output: 'image_generation_output_tokens',
} as const;

/** More than a model reads or writes for one image. */
export const drawnTokensMax = 50_000;

function unpriced({ id }: Model, { name, field }: ProviderTool): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} asks for the provider tool ${name}, but ${id} has no price for it: remove it, or ask the operator to list ${name} under the model's \`price.provider_tools\``,
  });
}
