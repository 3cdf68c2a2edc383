import { expect, test } from 'vitest';
import type { Message } from '../core/message.ts';
import { answerable } from './answerable.ts';

const say = (role: 'system' | 'user' | 'assistant', text: string): Message => ({
  role,
  content: text === '-' ? [] : [{ type: 'text', text }],
});
const result: Message = { role: 'tool', toolCallId: 'x', content: [], isError: false };

/** A conversation as `role: words` lines, for people. */
const told = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map((part) => ('text' in part ? part.text : '')).join('')}`);

test.each<[string, readonly Message[], readonly string[]]>([
  ['words', [say('system', 'a'), say('user', 'b')], ['system: a', 'user: b']],
  ['instructions alone', [say('system', 'a'), say('system', 'b')], ['system: a', 'user: b']],
  ['empty instructions alone', [say('system', '')], ['user: (no content)']],
  ['an empty question', [say('system', 'a'), say('user', ' ')], ['system: a', 'user: (no content)']],
  ['a question without parts', [say('user', '-')], ['user: (no content)']],
  [
    'a silent user between and behind answers',
    [say('user', ''), say('assistant', 'a'), say('user', '')],
    ['user: (no content)', 'assistant: a', 'user: (no content)'],
  ],
  ['one of two has words', [say('user', 'a'), say('user', '')], ['user: a', 'user: ']],
  ['neither has words', [say('user', ''), say('user', '')], ['user: ', 'user: (no content)']],
  [
    'an answer without words between them',
    [say('user', 'a'), say('assistant', ''), say('user', '')],
    ['user: a', 'assistant: ', 'user: '],
  ],
  ['silence behind a result', [result, say('user', '')], ['tool: ', 'user: ']],
  ['an answer without words alone', [say('assistant', '')], ['assistant: ', 'user: (no content)']],
])('%s', (_, messages, expected) => {
  expect(told(answerable(messages))).toEqual(expected);
});
