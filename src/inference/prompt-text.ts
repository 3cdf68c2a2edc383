import type { ChatRequest, Message } from '../core/chat-request.ts';

/** Everything of a request that a model reads, as one text: what its prompt tokens are counted from. */
export function promptText(request: ChatRequest): string {
  const parts = request.messages.map(messageText);
  for (const tool of request.tools) {
    parts.push(`${tool.name} ${tool.description ?? ''} ${JSON.stringify(tool.parameters ?? {})}`);
  }
  return parts.join('\n');
}

function messageText(message: Message): string {
  if (message.role !== 'assistant') return `${message.role}\n${message.text}`;
  const calls = message.toolCalls.map((call) => `${call.name} ${call.arguments}`);
  return [message.role, message.text, ...calls].join('\n');
}
