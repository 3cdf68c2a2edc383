import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { AssistantPart, Message, UserPart } from 'chat-formats/chat/message.ts';

/** All text of a request that a model reads, for counting its prompt tokens. */
export function promptText(request: ChatRequest): string {
  const parts = request.messages.map(messageText);
  for (const tool of request.tools) {
    parts.push(`${tool.name} ${tool.description ?? ''} ${JSON.stringify(tool.parameters ?? {})}`);
  }
  return parts.join('\n');
}

function messageText({ role, content }: Message): string {
  return [role, ...content.map(partText)].join('\n');
}

/** Only the provider can count the tokens of pictures and audio. */
function partText(part: UserPart | AssistantPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return `${part.name} ${part.arguments}`;
    case 'document':
      return 'text' in part.source ? part.source.text : '';
    case 'redacted-reasoning':
    case 'image':
    case 'audio':
      return '';
    default:
      return part satisfies never;
  }
}
