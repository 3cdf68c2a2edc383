import { expect, test } from 'vitest';
import { snippetsOf } from './model-snippets.ts';

const baseUrls = { openai: 'https://gateway.test/v1', anthropic: 'https://gateway.test/anthropic' };

test('a model shows code only for the surfaces and endpoints that it has', () => {
  const tabsOf = (surfaces: readonly string[], endpoints: readonly string[] = []) =>
    snippetsOf({ baseUrls, model: 'm', surfaces, endpoints });
  const responses = tabsOf(['openai-response']);
  expect(responses.map(({ name }) => name)).toEqual([
    'Codex',
    'Responses (Python)',
    'Responses (TypeScript)',
    'AI SDK (Responses)',
    'Agents SDK',
  ]);
  expect(responses.filter(({ code }) => code.includes('anthropic'))).toEqual([]);
  expect(tabsOf([], ['speech']).map(({ name }) => name)).toEqual(['curl (speech)']);
  const all = tabsOf(['anthropic', 'openai-response', 'openai']);
  expect(new Set(all.map(({ name }) => name)).size).toBe(14);
});
