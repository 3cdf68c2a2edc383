import type { Model } from 'chat-formats/chat/model.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';

/** More than any provider counts for one picture of any size. */
const imageTokensMax = 50_000;
/** Tokens that providers add to a conversation: markers for each message, and a prompt of their own. */
const frameTokensMax = 512;
/** Tokens that providers add to explain tools to the model. */
const toolFrameTokensMax = 2048;
/** Above the context window of any model that reads documents. Used if the catalog has none. */
const windowUnlessSaid = 2_000_000;

/**
 * An upper bound of the prompt tokens, at most the context window. A text never has more tokens than bytes. The tokens
 * of a picture depend on its pixels, not on its bytes in the body. The tokens of a document, a video or a search result
 * cannot be predicted.
 */
export function promptTokensMax(request: ChatRequest, contextWindow = windowUnlessSaid): number {
  if (request.hasUnsizedContent || request.providerTools.length > 0) return contextWindow;
  return Math.min(sizedTokensMax(request), contextWindow);
}

export function windowOf({ contextWindow = windowUnlessSaid }: Pick<Model, 'contextWindow'>): number {
  return contextWindow;
}

function sizedTokensMax({ messages, tools, wire }: ChatRequest): number {
  let tokens = wire.bytes + frameTokensMax + (tools.length > 0 ? toolFrameTokensMax : 0);
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type !== 'image') continue;
      tokens += imageTokensMax;
      if ('data' in part.source) tokens -= part.source.data.length;
    }
  }
  return tokens;
}
