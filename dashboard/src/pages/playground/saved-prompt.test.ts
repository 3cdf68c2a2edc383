import { expect, test } from 'vitest';
import { readPrompts } from './saved-prompt.ts';

test.each([null, '', '{', '{}', 'null', '[null, 1, "x", {"text": 3}, {"text": "", "system": ""}]'])(
  '%s holds no prompt, and breaks nothing',
  (kept) => {
    expect(readPrompts(kept)).toEqual([]);
  },
);

test('what is kept comes back, without what is not ours', () => {
  expect(readPrompts('[{"text": "Hi", "system": "", "other": 1}, 7]')).toEqual([{ text: 'Hi', system: '' }]);
});
