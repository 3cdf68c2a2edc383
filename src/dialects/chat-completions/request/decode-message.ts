import type { Message, TextPart, UserPart } from '../../../core/chat/message.ts';
import { cacheOf } from '../../cache-control.ts';
import { decodeAssistant } from './decode-assistant.ts';
import { decodePart, isText } from './decode-part.ts';
import type { WireMessage } from './message-schema.ts';

/**
 * Decodes a message into core types. Fields that core does not have are left out: only providers of the same format get
 * them.
 */
export function decodeMessage(message: WireMessage): Message {
  const name = message.name ?? undefined;
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: withCacheOf(message, decodeContent(message.content).filter(isText)), name };
    case 'user':
      return { role: 'user', content: withCacheOf(message, decodeContent(message.content)), name };
    case 'assistant':
      return { role: 'assistant', content: decodeAssistant(message) };
    case 'tool':
      return {
        role: 'tool',
        toolCallId: message.tool_call_id,
        content: decodeContent(message.content),
        isError: false,
        ...cacheOf(message),
      };
    default:
      return message satisfies never;
  }
}

function decodeContent(content: WireMessage['content']): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content?.flatMap((part) => decodePart(part) ?? []) ?? [];
}

/** A cache marker on a message applies to its last part. */
function withCacheOf<Part extends UserPart | TextPart>(message: WireMessage, parts: readonly Part[]): readonly Part[] {
  const marker = cacheOf(message);
  if (!marker.cache) return parts;
  return parts.map((part, at) => (at === parts.length - 1 ? { ...marker, ...part } : part));
}
