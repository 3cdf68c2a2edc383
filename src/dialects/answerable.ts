import type { Message } from '../core/message.ts';

/** What stands for the words of a user who said none: formats refuse a turn without any. */
const noWords = { type: 'text', text: '(no content)' } as const;

/**
 * A conversation that formats with turns can say, with something for the model to answer: instructions alone are what
 * the user says, and a user's turn without words says that it has none.
 */
export function answerable(messages: readonly Message[]): readonly Message[] {
  const turns = messages.every(({ role }) => role === 'system') ? withQuestion(messages) : messages;
  const silent = silentTurns(turns);
  const filled = turns.map((message, at): Message => (silent.has(at) ? { role: 'user', content: [noWords] } : message));
  return filled.some((message) => message.role !== 'system' && isSaid(message))
    ? filled
    : [...filled, { role: 'user', content: [noWords] }];
}

function withQuestion(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'system') return messages;
  return [...messages.slice(0, -1), { ...last, role: 'user' }];
}

/**
 * Where a user's message stands for a whole turn without words. Neighbouring messages of one side are one turn, and an
 * answer without words does not stand between them.
 */
function silentTurns(messages: readonly Message[]): ReadonlySet<number> {
  const silent = new Set<number>();
  let hasBegun = false;
  let last: number | undefined;
  let isTurnSaid = false;
  const close = (): void => {
    if (last !== undefined && !isTurnSaid) silent.add(last);
    last = undefined;
    isTurnSaid = false;
  };
  for (const [at, message] of messages.entries()) {
    hasBegun ||= message.role !== 'system';
    if (!hasBegun) continue;
    if (message.role === 'assistant') {
      if (isSaid(message)) close();
      continue;
    }
    if (message.role === 'user') last = at;
    isTurnSaid ||= isSaid(message);
  }
  close();
  return silent;
}

function isSaid(message: Message): boolean {
  if (message.role === 'tool') return true;
  return message.content.some((part) => part.type !== 'text' || part.text.trim() !== '');
}
