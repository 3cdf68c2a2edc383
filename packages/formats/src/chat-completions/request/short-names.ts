import { type ChatRequest, isOfOtherFormat } from '../../chat/chat-request.ts';
import type { Message } from '../../chat/message.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { ToolNames } from '../../tool-names.ts';

/** The longest tool name that the format allows. */
const nameMax = 64;

/** Shortens tool names that are valid in other formats but too long here. Other names stay the same. */
export function shortNames(request: ChatRequest) {
  const { tools, toolChoice, messages } = request;
  const chosen = typeof toolChoice === 'object' ? [toolChoice.name] : [];
  const all = [...tools.map(({ name }) => name), ...chosen, ...messages.flatMap(namesIn)];
  if (!isOfOtherFormat(request) || all.every((name) => name.length <= nameMax))
    return { request, long: (events: readonly StreamEvent[]) => events };
  const names = new ToolNames();
  const shorten = (name: string): string => names.wireName({ namespace: undefined, name, kind: 'function' });
  // Reserve the short names first, so that no shortened name collides with them.
  for (const name of all) if (name.length <= nameMax) shorten(name);
  const named = <Part extends { readonly name: string }>(part: Part): Part => ({ ...part, name: shorten(part.name) });
  return {
    request: {
      ...request,
      tools: tools.map(named),
      toolChoice: typeof toolChoice === 'object' ? named(toolChoice) : toolChoice,
      messages: messages.map((message) => renamed(message, named)),
    },
    /** Restores the client's names in the events of the answer. */
    long: (events: readonly StreamEvent[]): readonly StreamEvent[] =>
      events.map((event) =>
        event.type === 'tool-call-start' ? { ...event, name: names.identityOf(event.name).name } : event,
      ),
  };
}

function namesIn(message: Message): readonly string[] {
  if (message.role !== 'assistant') return [];
  return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []));
}

function renamed(message: Message, named: <Part extends { readonly name: string }>(part: Part) => Part): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, content: message.content.map((part) => (part.type === 'tool-call' ? named(part) : part)) };
}
