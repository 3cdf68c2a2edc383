import { expect, test } from 'vitest';
import type { Message } from './chat/message.ts';
import { makeAnswerable } from './answerable.ts';

const message = (role: 'system' | 'user' | 'assistant', text: string): Message => ({
  role,
  content: text === '-' ? [] : [{ type: 'text', text }],
});
const result: Message = { role: 'tool', toolCallId: 'x', content: [], isError: false };

/** A conversation as `role: text` lines. */
const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map((part) => ('text' in part ? part.text : '')).join('')}`);

test.each<[string, readonly Message[], readonly string[]]>([
  ['a conversation with text stays the same', [message('system', 'a'), message('user', 'b')], ['system: a', 'user: b']],
  [
    'the last of several instructions alone becomes the user message',
    [message('system', 'a'), message('system', 'b')],
    ['system: a', 'user: b'],
  ],
  ['empty instructions alone become a placeholder', [message('system', '')], ['user: (no content)']],
  [
    'an empty user message becomes a placeholder',
    [message('system', 'a'), message('user', ' ')],
    ['system: a', 'user: (no content)'],
  ],
  ['a user message without parts becomes a placeholder', [message('user', '-')], ['user: (no content)']],
  [
    'empty user messages before and after an answer become placeholders',
    [message('user', ''), message('assistant', 'a'), message('user', '')],
    ['user: (no content)', 'assistant: a', 'user: (no content)'],
  ],
  [
    'a turn with one empty message of two stays the same',
    [message('user', 'a'), message('user', '')],
    ['user: a', 'user: '],
  ],
  [
    'a turn of two empty messages gets one placeholder',
    [message('user', ''), message('user', '')],
    ['user: ', 'user: (no content)'],
  ],
  [
    'an empty answer between user messages does not separate turns',
    [message('user', 'a'), message('assistant', ''), message('user', '')],
    ['user: a', 'assistant: ', 'user: '],
  ],
  ['an empty user message after a tool result stays the same', [result, message('user', '')], ['tool: ', 'user: ']],
  [
    'an empty answer alone gets a placeholder after it',
    [message('assistant', '')],
    ['assistant: ', 'user: (no content)'],
  ],
])('%s', (_, messages, expected) => {
  expect(linesOf(makeAnswerable(messages))).toEqual(expected);
});
