import { expect, test } from 'vitest';
import { readPrompts } from './saved-prompt.ts';

test.each([null, '', '{', '{}', 'null', '[null, 1, "x", {"text": 3}, {"text": "", "system": ""}]'])(
  '%s contains no prompt and does not throw',
  (stored) => {
    expect(readPrompts(stored)).toEqual([]);
  },
);

test('saved prompts are read back without unknown members', () => {
  expect(readPrompts('[{"text": "Hi", "system": "", "other": 1}, 7]')).toEqual([{ text: 'Hi', system: '' }]);
});
