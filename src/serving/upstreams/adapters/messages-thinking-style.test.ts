import { expect, test } from 'vitest';
import { messagesThinkingStyle } from './messages-thinking-style.ts';

test.each([
  ['claude-3-7-sonnet-20250219', 'budget'],
  ['claude-opus-4-20250514', 'budget'],
  ['claude-sonnet-4-5-20250929', 'budget'],
  ['claude-haiku-4.5', 'budget'],
  ['anthropic.claude-opus-4-1-v1:0', 'budget'],
  ['claude-opus-4-6', 'adaptive'],
  ['claude-opus-4-7-20260416', 'adaptive'],
  ['claude-sonnet-5', 'adaptive'],
  ['claude-opus-10-20270101', 'adaptive'],
  ['claude-mythos-preview', 'adaptive'],
  ['deepseek-chat', 'budget'],
])('reasoning of %s is requested by %s', (model, style) => {
  expect(messagesThinkingStyle(model)).toBe(style);
});
