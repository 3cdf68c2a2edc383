import type { Message } from './chat/message.ts';

/** Replaces an empty user turn: formats with turns reject a turn without text. */
const placeholder = { type: 'text', text: '(no content)' } as const;

/** Changes a conversation as formats with turns require. Of instructions alone, the last becomes the user message. */
export function makeAnswerable(messages: readonly Message[]): readonly Message[] {
  const turns = messages.every(({ role }) => role === 'system') ? withLastAsUser(messages) : messages;
  const empty = emptyTurns(turns);
  const filled = turns.map(
    (message, at): Message => (empty.has(at) ? { role: 'user', content: [placeholder] } : message),
  );
  return filled.some((message) => message.role !== 'system' && hasContent(message))
    ? filled
    : [...filled, { role: 'user', content: [placeholder] }];
}

function withLastAsUser(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'system') return messages;
  return [...messages.slice(0, -1), { ...last, role: 'user' }];
}

/** The last user message of each turn without content. An empty assistant message does not separate two turns. */
function emptyTurns(messages: readonly Message[]): ReadonlySet<number> {
  const empty = new Set<number>();
  let hasBegun = false;
  let last: number | undefined;
  let hasTurnContent = false;
  const close = (): void => {
    if (last !== undefined && !hasTurnContent) empty.add(last);
    last = undefined;
    hasTurnContent = false;
  };
  for (const [at, message] of messages.entries()) {
    hasBegun ||= message.role !== 'system';
    if (!hasBegun) continue;
    if (message.role === 'assistant') {
      if (hasContent(message)) close();
      continue;
    }
    if (message.role === 'user') last = at;
    hasTurnContent ||= hasContent(message);
  }
  close();
  return empty;
}

function hasContent(message: Message): boolean {
  if (message.role === 'tool') return true;
  return message.content.some((part) => part.type !== 'text' || part.text.trim() !== '');
}
