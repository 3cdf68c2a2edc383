import { expect, test } from 'vitest';
import { chatRequest } from '../../test/ask-upstream.ts';
import type { AssistantPart } from '../core/message.ts';
import { BrokenPromise } from '../guarantees/broken-promise.ts';
import { askedAgain } from './further-turns.ts';

function turnsAfter(...said: AssistantPart[]) {
  const gone = { reasoning: false, text: false, calls: false };
  const next = askedAgain(chatRequest(), new BrokenPromise('json', 'It is no JSON.', { said, usage: undefined, gone }));
  return next.further?.map(({ role }) => role);
}

test('a model that said nothing is not shown an empty turn of its own', () => {
  expect([turnsAfter(), turnsAfter({ type: 'text', text: ' \n' })]).toEqual([['user'], ['user']]);
  expect(turnsAfter({ type: 'text', text: 'Sunny.' })).toEqual(['assistant', 'user']);
});
