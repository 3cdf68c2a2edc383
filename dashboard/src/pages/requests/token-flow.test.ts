import { expect, test } from 'vitest';
import { tokenFlow } from '../../text/format.ts';

test.each([
  [7, 3, '7 → 3'],
  [7, null, '7 → –'],
  [0, 0, '0 → 0'],
  [null, null, '–'],
])('tokens %s and %s are shown as %s', (prompt, completion, shown) => {
  expect(tokenFlow(prompt, completion, String)).toBe(shown);
});
