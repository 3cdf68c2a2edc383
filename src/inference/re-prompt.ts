import type { ChatRequest } from '../core/chat-request.ts';
import type { AssistantPart, Message } from '../core/message.ts';
import { isJsonObject } from '../core/safe-json.ts';
import type { ConstraintViolation } from '../guarantees/constraint-violation.ts';

type ToolCallPart = Extract<AssistantPart, { type: 'tool-call' }>;

/** As much of wrong arguments is shown to the model again in words. */
const argumentsShownMax = 2000;

/**
 * The request once more, with what the model said and what was wrong with it. What the client sent stays as it is before
 * that, so that a provider's cache of the prompt holds.
 */
export function askedAgain(request: ChatRequest, broken: ConstraintViolation): ChatRequest {
  const turns = turnsAfter(broken);
  const { text: _, ...wire } = request.wire;
  return {
    ...request,
    messages: [...request.messages, ...turns],
    further: [...(request.further ?? []), ...turns],
    wire: { ...wire, bytes: wire.bytes + Buffer.byteLength(JSON.stringify(turns)) },
  };
}

/**
 * Calls are answered as calls are: each has a result, which says what was wrong. Arguments that are not even JSON would be
 * refused by some providers when they come back, and are told in words; so is whatever is wrong with a text.
 */
function turnsAfter({ words, answer: { said } }: ConstraintViolation): readonly Message[] {
  const calls = said.filter((part): part is ToolCallPart => part.type === 'tool-call');
  if (calls.length > 0 && calls.every((call) => isJsonObject(call.arguments))) {
    return [{ role: 'assistant', content: said }, ...calls.map((call) => resultOf(call, words))];
  }
  const content = said.filter(({ type }) => type !== 'tool-call');
  const isSilent = !content.some((part) => part.type === 'text' && part.text.trim() !== '');
  const wrong: Message = { role: 'user', content: [{ type: 'text', text: [...calls.map(shown), words].join('\n') }] };
  return isSilent ? [wrong] : [{ role: 'assistant', content }, wrong];
}

function resultOf({ id }: ToolCallPart, words: string): Message {
  const text = `Nothing was called. ${words} Make the call again, and every other of this answer.`;
  return { role: 'tool', toolCallId: id, content: [{ type: 'text', text }], isError: true };
}

function shown({ name, arguments: text }: ToolCallPart): string {
  return `You called \`${name}\` with these arguments: ${text.slice(0, argumentsShownMax)}`;
}
