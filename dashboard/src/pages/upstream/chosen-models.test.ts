import { expect, test } from 'vitest';
import { canBeAdded } from './chosen-models.ts';

const chosen = { model: 'large', input: '1.5', output: '6', known: undefined };

test('a model can be added only at prices that the gateway accepts', () => {
  expect(canBeAdded(chosen)).toBe(true);
  expect(canBeAdded({ ...chosen, input: '999999.999999' })).toBe(true);
  expect(canBeAdded({ ...chosen, input: '1000000' })).toBe(false);
  expect(canBeAdded({ ...chosen, output: '0.1234567' })).toBe(false);
  expect(canBeAdded({ ...chosen, output: '' })).toBe(false);
});
