import type { ChatRequest } from '../core/chat-request.ts';

/** More than any provider makes of one picture, however large it is. */
const imageTokensMax = 50_000;
/** What providers write around a conversation: marks for each turn, and words of their own before it. */
const frameTokensMax = 512;
/** What they write around tools, to tell the model how to call them. */
const toolFrameTokensMax = 2048;
/** More than a model holds that reads documents, where the catalog does not say how much that is. */
const windowUnlessSaid = 2_000_000;

/**
 * The most tokens a prompt can have: never more than the model holds. No tokenizer makes more of a text than it has
 * bytes; a picture's tokens follow from its size in pixels and have nothing to do with the bytes it takes in the body.
 * What a document, a film or a page found by a search comes to, nobody can say before.
 */
export function promptTokensMax(request: ChatRequest, contextWindow = windowUnlessSaid): number {
  if (request.hasUnsizedContent || request.providerTools.length > 0) return contextWindow;
  return Math.min(sizedTokensMax(request), contextWindow);
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
