import { expect, test } from 'vitest';
import { chatRequest } from '../../test/ask-upstream.ts';
import type { MediaSource } from '../core/message.ts';
import { promptTokensMax } from './prompt-bound.ts';

const wire = { format: 'chat-completions' as const, body: {}, bytes: 5_000_000 };
const window = 10_000_000;
const framed = 512;
const showing = (source: MediaSource) =>
  chatRequest({ wire, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });

test('a text has at most as many tokens as bytes, and what providers write around it', () => {
  expect(promptTokensMax(chatRequest({ wire }), window)).toBe(5_000_000 + framed);
});

test('tools come with words of the provider on how to call them', () => {
  const tools = [{ name: 'a', description: undefined, parameters: undefined }];
  expect(promptTokensMax(chatRequest({ wire, tools }), window)).toBe(5_000_000 + framed + 2048);
});

test('a picture in the body is bounded by what pictures cost, not by its bytes', () => {
  const data = 'A'.repeat(4_900_000);
  expect(promptTokensMax(showing({ mediaType: 'image/png', data }), window)).toBe(150_000 + framed);
});

test('a picture at an address costs tokens though it takes no bytes', () => {
  expect(promptTokensMax(showing({ url: 'https://pictures.example/cat.png' }), window)).toBe(5_050_000 + framed);
});

test('no prompt is larger than what the model holds', () => {
  expect(promptTokensMax(chatRequest({ wire }), 200_000)).toBe(200_000);
});

test('what has no bound of its own may fill all the model holds', () => {
  const searching = { name: 'web_search', usesMax: 1, field: 'tools[0]' };
  expect(promptTokensMax(chatRequest({ hasUnsizedContent: true }), 200_000)).toBe(200_000);
  expect(promptTokensMax(chatRequest({ providerTools: [searching] }), 200_000)).toBe(200_000);
  expect(promptTokensMax(chatRequest({ hasUnsizedContent: true }))).toBe(2_000_000);
});
