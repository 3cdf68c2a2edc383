import { expect, test } from 'vitest';
import { chatRequest } from '../../test/ask-upstream.ts';
import type { MediaSource } from '../core/message.ts';
import { promptTokensMax } from './prompt-bound.ts';

const wire = { format: 'chat-completions' as const, body: {}, bytes: 5_000_000 };
const showing = (source: MediaSource) =>
  chatRequest({ wire, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });

test('a text has at most as many tokens as bytes', () => {
  expect(promptTokensMax(chatRequest({ wire }))).toBe(5_000_000);
});

test('a picture in the body is bounded by what pictures cost, not by its bytes', () => {
  const data = 'A'.repeat(4_900_000);
  expect(promptTokensMax(showing({ mediaType: 'image/png', data }))).toBe(110_000);
});

test('a picture at an address costs tokens though it takes no bytes', () => {
  expect(promptTokensMax(showing({ url: 'https://pictures.example/cat.png' }))).toBe(5_010_000);
});
