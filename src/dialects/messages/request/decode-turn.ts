import type { CacheLife, Message, UserPart } from '../../../core/chat/message.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import type { WireContent } from './block-schema.ts';
import { cacheOf } from '../../cache-control.ts';
import { decodeAssistantBlock, decodeText, decodeUserBlock } from './decode-block.ts';
import type { MessagesWireMessage } from './request-schema.ts';

/** Decodes a system prompt, or a `system` message inside the conversation. */
export function decodeSystem(content: WireContent): Message {
  return { role: 'system', content: blocksOf(content).map(decodeText) };
}

/**
 * Decodes one message. A user message with tool results becomes one message for each result, then one for its other
 * blocks.
 */
export function decodeTurn(message: MessagesWireMessage): readonly Message[] {
  const blocks = blocksOf(message.content);
  switch (message.role) {
    case 'system':
      return [decodeSystem(message.content)];
    case 'assistant':
      return [{ role: 'assistant', content: blocks.flatMap((block) => decodeAssistantBlock(block) ?? []) }];
    case 'user': {
      const results = blocks.filter(isResult);
      const otherBlocks = blocks.filter((block) => !isResult(block));
      const others: Message = { role: 'user', content: otherBlocks.flatMap((block) => decodeUserBlock(block) ?? []) };
      return [...results.map(decodeResult), ...(results.length > 0 && otherBlocks.length === 0 ? [] : [others])];
    }
    default:
      return message.role satisfies never;
  }
}

/** A cache marker on the request applies to the last part that can have one. */
export function markLast(messages: readonly Message[], cache: CacheLife): readonly Message[] {
  const last = messages.at(-1);
  if (!last) return messages;
  return [...messages.slice(0, -1), marked(last, cache)];
}

function blocksOf(content: unknown): readonly WireObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).filter(isObject);
}

function isResult(block: WireObject): boolean {
  return block.type === 'tool_result';
}

function decodeResult(block: WireObject): Message {
  const content: readonly UserPart[] = blocksOf(block.content).flatMap((inner) => decodeUserBlock(inner) ?? []);
  return {
    role: 'tool',
    toolCallId: nonEmptyString(block.tool_use_id) ?? '',
    content,
    isError: block.is_error === true,
    ...cacheOf(block),
  };
}

function marked(message: Message, cache: CacheLife): Message {
  switch (message.role) {
    case 'tool':
      return { cache, ...message };
    case 'system':
      return { ...message, content: withMark(message.content, cache) };
    case 'user':
      return { ...message, content: withMark(message.content, cache) };
    case 'assistant':
      return { ...message, content: withMark(message.content, cache) };
    default:
      return message satisfies never;
  }
}

/** Reasoning cannot have a marker. A marker set by the client stays. */
function withMark<Part extends { readonly type: string }>(parts: readonly Part[], cache: CacheLife): readonly Part[] {
  const at = parts.findLastIndex((part) => part.type !== 'reasoning' && part.type !== 'redacted-reasoning');
  return parts.map((part, index) => (index === at ? { cache, ...part } : part));
}
