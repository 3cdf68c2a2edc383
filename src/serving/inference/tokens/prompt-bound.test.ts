import { expect, test } from 'vitest';
import { chatRequest } from '../../../../test/call-upstream.ts';
import type { MediaSource } from 'chat-formats/chat/message.ts';
import { promptTokensMax } from './prompt-bound.ts';

const wire = { format: 'chat-completions' as const, body: {}, bytes: 5_000_000 };
const window = 10_000_000;
const framed = 512;
const showing = (source: MediaSource) =>
  chatRequest({ wire, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });

test('a text has at most as many tokens as bytes, plus the frame that providers add', () => {
  expect(promptTokensMax(chatRequest({ wire }), window)).toBe(5_000_000 + framed);
});

test('tools add the instructions that a provider writes for them', () => {
  const tools = [{ name: 'a', description: undefined, parameters: undefined }];
  expect(promptTokensMax(chatRequest({ wire, tools }), window)).toBe(5_000_000 + framed + 2048);
});

test('a picture in the body is limited by its token maximum, not by its bytes', () => {
  const data = 'A'.repeat(4_900_000);
  expect(promptTokensMax(showing({ mediaType: 'image/png', data }), window)).toBe(150_000 + framed);
});

test('a picture at an address costs tokens though it takes no bytes', () => {
  expect(promptTokensMax(showing({ url: 'https://pictures.example/cat.png' }), window)).toBe(5_050_000 + framed);
});

test('no prompt exceeds the context window', () => {
  expect(promptTokensMax(chatRequest({ wire }), 200_000)).toBe(200_000);
});

test('content without a size limit may fill the context window', () => {
  const searching = { name: 'web_search', usesMax: 1, field: 'tools[0]' };
  expect(promptTokensMax(chatRequest({ hasUnsizedContent: true }), 200_000)).toBe(200_000);
  expect(promptTokensMax(chatRequest({ providerTools: [searching] }), 200_000)).toBe(200_000);
  expect(promptTokensMax(chatRequest({ hasUnsizedContent: true }))).toBe(2_000_000);
});
