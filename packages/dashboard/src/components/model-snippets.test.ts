import { expect, test } from 'vitest';
import { snippetsOf } from './model-snippets.ts';

const baseUrls = { openai: 'https://gateway.test/v1', anthropic: 'https://gateway.test/anthropic' };

const namesOf = (surfaces: readonly string[], endpoints: readonly string[] = []) =>
  snippetsOf({ baseUrls, model: 'm', surfaces, endpoints }).map(({ name, variant }) =>
    [name, variant].filter(Boolean).join(': '),
  );

test('a model shows code only for the surfaces and endpoints that it has', () => {
  expect(namesOf(['openai-response'])).toEqual([
    'OpenAI SDK: Python, Responses',
    'OpenAI SDK: TypeScript, Responses',
    'AI SDK: Responses',
    'Agents SDK',
    'Codex',
  ]);
  const responses = snippetsOf({ baseUrls, model: 'm', surfaces: ['openai-response'] });
  expect(responses.filter(({ code }) => code.includes('anthropic'))).toEqual([]);
  expect(namesOf([], ['speech'])).toEqual(['curl: speech']);
});

test('every client and variant is offered once', () => {
  const all = namesOf(['anthropic', 'openai-response', 'openai'], ['embeddings']);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(all.map((name) => name.split(': ')[0])).size).toBe(8);
});
