import { expect, test } from 'vitest';
import { chatRequest } from '../../../../test/call-upstream.ts';
import type { AssistantPart } from 'chat-formats/chat/message.ts';
import { ConstraintViolation } from 'chat-formats/guarantees/constraint-violation.ts';
import { rePromptRequest } from './re-prompt.ts';

function violation(...parts: AssistantPart[]): ConstraintViolation {
  const gone = { reasoning: false, text: false, calls: false };
  return new ConstraintViolation('json', 'It is no JSON.', { output: parts, usage: undefined, sent: gone });
}

function rolesAfter(...parts: AssistantPart[]) {
  return rePromptRequest(chatRequest(), violation(...parts)).further?.map(({ role }) => role);
}

test('the request body is encoded again, because the client’s text lacks the added messages', () => {
  const request = chatRequest();
  const { wire } = rePromptRequest({ ...request, wire: { ...request.wire, text: '{}' } }, violation());
  expect([wire.text, wire.bytes > request.wire.bytes]).toEqual([undefined, true]);
});

test('a model that wrote nothing is not shown an empty message of its own', () => {
  expect([rolesAfter(), rolesAfter({ type: 'text', text: ' \n' })]).toEqual([['user'], ['user']]);
  expect(rolesAfter({ type: 'text', text: 'Sunny.' })).toEqual(['assistant', 'user']);
});
