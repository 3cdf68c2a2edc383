import { expect, test } from 'vitest';
import type { Message } from '../core/message.ts';
import { answerable } from './answerable.ts';

const say = (role: 'system' | 'user' | 'assistant', text: string): Message => ({
  role,
  content: text === '-' ? [] : [{ type: 'text', text }],
});
const result: Message = { role: 'tool', toolCallId: 'x', content: [], isError: false };

/** A conversation as `role: text` lines. */
const told = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map((part) => ('text' in part ? part.text : '')).join('')}`);

test.each<[string, readonly Message[], readonly string[]]>([
  ['a conversation with text stays the same', [say('system', 'a'), say('user', 'b')], ['system: a', 'user: b']],
  [
    'the last of several instructions alone becomes the user message',
    [say('system', 'a'), say('system', 'b')],
    ['system: a', 'user: b'],
  ],
  ['empty instructions alone become a placeholder', [say('system', '')], ['user: (no content)']],
  [
    'an empty user message becomes a placeholder',
    [say('system', 'a'), say('user', ' ')],
    ['system: a', 'user: (no content)'],
  ],
  ['a user message without parts becomes a placeholder', [say('user', '-')], ['user: (no content)']],
  [
    'empty user messages before and after an answer become placeholders',
    [say('user', ''), say('assistant', 'a'), say('user', '')],
    ['user: (no content)', 'assistant: a', 'user: (no content)'],
  ],
  ['a turn with one empty message of two stays the same', [say('user', 'a'), say('user', '')], ['user: a', 'user: ']],
  [
    'a turn of two empty messages gets one placeholder',
    [say('user', ''), say('user', '')],
    ['user: ', 'user: (no content)'],
  ],
  [
    'an empty answer between user messages does not separate turns',
    [say('user', 'a'), say('assistant', ''), say('user', '')],
    ['user: a', 'assistant: ', 'user: '],
  ],
  ['an empty user message after a tool result stays the same', [result, say('user', '')], ['tool: ', 'user: ']],
  ['an empty answer alone gets a placeholder after it', [say('assistant', '')], ['assistant: ', 'user: (no content)']],
])('%s', (_, messages, expected) => {
  expect(told(answerable(messages))).toEqual(expected);
});
