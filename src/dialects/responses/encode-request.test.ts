import { expect, test } from 'vitest';
import { chatRequest } from '../../../test/ask-upstream.ts';
import type { ChatRequest } from '../../core/chat-request.ts';
import { encodeResponsesRequest, type ResponsesRequestEncoding } from './encode-request.ts';

const encoding = {
  model: 'theirs',
  maxTokens: undefined,
  thinkingCapable: true,
  effortHigh: 'high',
  effortMax: 'xhigh',
};
const encoded = (
  request: Partial<ChatRequest>,
  more: Partial<ResponsesRequestEncoding> = {},
): Record<string, unknown> => JSON.parse(encodeResponsesRequest(chatRequest(request), { ...encoding, ...more }));

test.each([
  [{}, { effort: 'high', summary: 'auto' }],
  [{ defaultEffort: 'max' as const }, { effort: 'xhigh', summary: 'auto' }],
  [{ thinking: 'disabled' as const }, { effort: 'none' }],
  [
    { thinkingBudget: 30_000, thinking: 'enabled' as const },
    { effort: 'xhigh', summary: 'auto' },
  ],
])('a thinking model is told how much to think: %j', (request, reasoning) => {
  expect(encoded(request)['reasoning']).toEqual(reasoning);
});

test('a model that cannot think is told nothing, unless its client insists', () => {
  expect(encoded({}, { thinkingCapable: false })).not.toHaveProperty('reasoning');
  expect(encoded({ effort: 'max' }, { thinkingCapable: false })['reasoning']).toMatchObject({ effort: 'xhigh' });
});

test('stop sequences are refused, or left out where the model’s entry says so', () => {
  expect(() => encoded({ stop: ['END'] })).toThrow('stop cannot be translated');
  expect(encoded({ stop: ['END'] }, { untranslatable: 'drop' })).not.toHaveProperty('stop');
});

test('the label of the end user goes up, or stays here where the provider has no place for it', () => {
  expect(encoded({ userId: 'u'.repeat(80) })['safety_identifier']).toHaveLength(64);
  expect(encoded({ userId: 'me' }, { keepsUser: true })).not.toHaveProperty('safety_identifier');
});

test('names of participants stand before their words, in instructions too', () => {
  const words = (text: string) => [{ type: 'text' as const, text }];
  const messages = [
    { role: 'system' as const, content: words('Be brief.'), name: 'house' },
    { role: 'system' as const, content: words('Be kind.') },
    { role: 'user' as const, content: words('Hi'), name: 'bob' },
  ];
  const { instructions, input } = encoded({ messages });
  expect(instructions).toBe('house: Be brief.\n\nBe kind.');
  expect(JSON.stringify(input)).toContain('"bob:"');
});

test('nothing is kept at the provider, and its thoughts come sealed', () => {
  expect(encoded({})).toMatchObject({ store: false, stream: true, include: ['reasoning.encrypted_content'] });
});
