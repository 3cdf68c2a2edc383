import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { fitPriceOptions } from './money/price-options.ts';
import { promptText } from './tokens/prompt-text.ts';

/** No tokenizer packs prose denser than this. A prompt that exceeds the window even at this rate cannot fit. */
const bytesPerTokenMax = 10;

/**
 * The request adapted to the model: output capped, unpriced optional tools and service levels removed. Throws if the prompt cannot fit.
 */
export function fitRequest(model: Model, request: ChatRequest): ChatRequest {
  refuseOversizedPrompt(model, request);
  return fitPriceOptions(model, removeUnlistedTools(model, capOutput(model, request)));
}

function capOutput(model: Model, request: ChatRequest): ChatRequest {
  const cap = model.maxOutputTokens ?? model.contextWindow;
  if (request.maxTokens === undefined || cap === undefined || request.maxTokens <= cap) return request;
  return { ...request, maxTokens: cap };
}

/**
 * Some clients declare provider tools that the provider may lack. A price in the catalog means that it has the tool.
 */
function removeUnlistedTools({ price: { toolUses } }: Model, request: ChatRequest): ChatRequest {
  if (!request.providerTools.some(({ isOptional }) => isOptional)) return request;
  const isListed = (name: string): boolean => toolUses !== 'free' && Object.hasOwn(toolUses, name);
  const providerTools = request.providerTools.filter(({ name, isOptional }) => !isOptional || isListed(name));
  return { ...request, providerTools };
}

function refuseOversizedPrompt(model: Model, request: ChatRequest): void {
  const window = model.contextWindow;
  // The body is longer than the prompt in it, so most requests pass without a look at the text.
  if (window === undefined || request.wire.bytes <= window * bytesPerTokenMax) return;
  const tokensAtLeast = Math.ceil(Buffer.byteLength(promptText(request).replace(/\s+/g, '')) / bytesPerTokenMax);
  if (tokensAtLeast <= window) return;
  // Messages clients search for this text before they compact a conversation; Responses clients search for the code.
  const lead =
    request.wire.format === 'messages' ? `prompt is too long: ${tokensAtLeast} tokens > ${window} maximum; ` : '';
  throw new GatewayError('invalid-request', {
    overflow: { promptTokens: tokensAtLeast, tokensMax: window },
    code: request.wire.format === 'responses' ? 'context_length_exceeded' : undefined,
    detail: `${lead}messages hold at least ${tokensAtLeast} tokens, but the context window of ${model.id} is ${window} tokens: shorten the conversation`,
  });
}
