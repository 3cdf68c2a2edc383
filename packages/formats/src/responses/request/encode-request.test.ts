import { expect, test } from 'vitest';
import { chatRequest } from '../../../../../test/call-upstream.ts';
import type { ChatRequest } from '../../chat/chat-request.ts';
import { encodeResponsesRequest, type ResponsesRequestEncoding } from './encode-request.ts';

const encoding = {
  model: 'theirs',
  maxTokens: undefined,
  thinkingCapable: true,
  thinkingDefaults: true,
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
])('a request to a reasoning model states the effort: %j', (request, reasoning) => {
  expect(encoded(request)['reasoning']).toEqual(reasoning);
});

test('a request to a model without reasoning states no effort, unless the client set one', () => {
  expect(encoded({}, { thinkingCapable: false })).not.toHaveProperty('reasoning');
  expect(encoded({ effort: 'max' }, { thinkingCapable: false })['reasoning']).toMatchObject({ effort: 'xhigh' });
});

test('stop sequences are rejected, or dropped if the model’s entry allows it', () => {
  expect(() => encoded({ stop: ['END'] })).toThrow('stop cannot be translated');
  expect(encoded({ stop: ['END'] }, { untranslatable: 'drop' })).not.toHaveProperty('stop');
});

test('the end-user label is sent, unless the provider has no field for it', () => {
  expect(encoded({ userId: 'u'.repeat(80) })['safety_identifier']).toHaveLength(64);
  expect(encoded({ userId: 'me' }, { keepsUser: true })).not.toHaveProperty('safety_identifier');
});

test('the name of a participant is put before the text, also in instructions', () => {
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

test('the request asks the provider to store nothing and to seal its reasoning', () => {
  expect(encoded({})).toMatchObject({ store: false, stream: true, include: ['reasoning.encrypted_content'] });
});
