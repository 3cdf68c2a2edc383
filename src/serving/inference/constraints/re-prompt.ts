import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { AssistantPart, Message } from 'chat-formats/chat/message.ts';
import { isJsonObject } from 'chat-formats/json/safe-json.ts';
import type { ConstraintViolation } from 'chat-formats/guarantees/constraint-violation.ts';

type ToolCallPart = Extract<AssistantPart, { type: 'tool-call' }>;

/** How many characters of invalid arguments are quoted to the model. */
const argumentsShownMax = 2000;

/**
 * The request with the model's output and the violation appended. The client's messages stay unchanged before them, so
 * that the provider's prompt cache still matches.
 */
export function rePromptRequest(request: ChatRequest, violation: ConstraintViolation): ChatRequest {
  const added = messagesAfter(violation);
  const { text: _, ...wire } = request.wire;
  return {
    ...request,
    messages: [...request.messages, ...added],
    further: [...(request.further ?? []), ...added],
    wire: { ...wire, bytes: wire.bytes + Buffer.byteLength(JSON.stringify(added)) },
  };
}

/**
 * Each tool call gets a tool result that describes the violation. Some providers reject arguments that are not JSON, so
 * those are quoted in a user message. A violation in a text is described in a user message too.
 */
function messagesAfter({ words, answer: { output } }: ConstraintViolation): readonly Message[] {
  const calls = output.filter((part): part is ToolCallPart => part.type === 'tool-call');
  if (calls.length > 0 && calls.every((call) => isJsonObject(call.arguments))) {
    return [{ role: 'assistant', content: output }, ...calls.map((call) => resultOf(call, words))];
  }
  const content = output.filter(({ type }) => type !== 'tool-call');
  const isEmpty = !content.some((part) => part.type === 'text' && part.text.trim() !== '');
  const correction: Message = {
    role: 'user',
    content: [{ type: 'text', text: [...calls.map(quoteCall), words].join('\n') }],
  };
  return isEmpty ? [correction] : [{ role: 'assistant', content }, correction];
}

function resultOf({ id }: ToolCallPart, words: string): Message {
  const text = `Nothing was called. ${words} Make the call again, and every other of this answer.`;
  return { role: 'tool', toolCallId: id, content: [{ type: 'text', text }], isError: true };
}

function quoteCall({ name, arguments: text }: ToolCallPart): string {
  return `You called \`${name}\` with these arguments: ${text.slice(0, argumentsShownMax)}`;
}
