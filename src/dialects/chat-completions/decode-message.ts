import type { AssistantPart, Message, TextPart, UserPart } from '../../core/message.ts';
import { decodePart, isText } from './decode-part.ts';
import type { WireMessage } from './message-schema.ts';

/** A message in the words of the core. What has no word there is left out: only providers of the same format see it. */
export function decodeMessage(message: WireMessage): Message {
  const name = message.name ?? undefined;
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: decodeContent(message.content).filter(isText), name };
    case 'user':
      return { role: 'user', content: decodeContent(message.content), name };
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message) };
    case 'tool':
      return {
        role: 'tool',
        toolCallId: message.tool_call_id,
        content: decodeContent(message.content),
        isError: false,
      };
    default:
      return message satisfies never;
  }
}

function decodeContent(content: WireMessage['content']): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content?.flatMap((part) => decodePart(part) ?? []) ?? [];
}

type WireAssistant = Extract<WireMessage, { role: 'assistant' }>;

function assistantParts(message: WireAssistant): readonly AssistantPart[] {
  const reasoning = message['reasoning_content'];
  return [
    ...(typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...decodeContent(message.content).filter((part): part is TextPart => isText(part) && part.text !== ''),
    ...(message.tool_calls?.map(decodeToolCall) ?? []),
  ];
}

function decodeToolCall(call: NonNullable<WireAssistant['tool_calls']>[number]): AssistantPart {
  return { type: 'tool-call', id: call.id, name: call.function.name, arguments: call.function.arguments };
}
