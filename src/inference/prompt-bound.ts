import type { ChatRequest } from '../core/chat-request.ts';

/** More than any provider makes of one picture, however large it is. */
const imageTokensMax = 10_000;

/**
 * The most tokens a prompt can have. No tokenizer makes more of a text than it has bytes; a picture's tokens follow
 * from its size in pixels and have nothing to do with the bytes it takes in the body.
 */
export function promptTokensMax({ messages, wire }: ChatRequest): number {
  let tokens = wire.bytes;
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type !== 'image') continue;
      tokens += imageTokensMax;
      if ('data' in part.source) tokens -= part.source.data.length;
    }
  }
  return tokens;
}
