import { expect, test } from 'vitest';
import { defaultConfig } from './defaults.ts';

const base = { directory: '/srv/gateway', env: { DEEPSEEK_API_KEY: 'sk-1\n', BROKEN: 'a b' } };

test('without a file, the configuration has simulated models and a demo account', () => {
  const { config, resources } = defaultConfig(base);
  expect(config.data).toBe('/srv/gateway/data');
  expect(config.models.map(({ id, aliases }) => [id, ...aliases])).toEqual([
    ['sim-chat-2026-01-01', 'sim-chat'],
    ['sim-think-2026-01-01', 'sim-think'],
    ['sim-tools-2026-01-01', 'sim-tools'],
    ['sim-logprobs-2026-01-01', 'sim-logprobs'],
  ]);
  expect(config.models.filter(({ thinking }) => thinking).map(({ id }) => id)).toEqual(['sim-think-2026-01-01']);
  expect(config.accounts).toEqual([{ name: 'demo', package: 'standard', credit: '5.00' }]);
  expect(resources.map(({ kind }) => kind)).toEqual([
    'upstream',
    'model',
    'model',
    'model',
    'model',
    'package',
    'site',
  ]);
});

test('a discovered provider is added with its models and the key from the environment', () => {
  const { config, resources } = defaultConfig({
    ...base,
    discovered: [
      { preset: 'deepseek', baseUrl: 'https://d.example/v1', apiKeyEnv: 'DEEPSEEK_API_KEY', models: ['deepseek-chat'] },
    ],
  });
  expect(config.upstreams[1]).toMatchObject({ name: 'deepseek', kind: 'deepseek', apiKey: 'sk-1' });
  expect(config.models.at(-1)).toMatchObject({
    id: 'deepseek-chat',
    ownedBy: 'deepseek',
    routes: [{ upstream: 'deepseek', model: 'deepseek-chat' }],
  });
  expect(JSON.stringify(resources)).not.toContain('sk-1');
});

test('if two providers have a model of the same name, the second one gets a prefix', () => {
  const local = (preset: string) => ({ preset, baseUrl: 'http://127.0.0.1:1/v1', models: ['llama', 'llama'] });
  const { config } = defaultConfig({ ...base, discovered: [local('ollama'), local('lm-studio')] });
  expect(config.models.slice(4).map(({ id, routes }) => [id, routes[0]?.model])).toEqual([
    ['llama', 'llama'],
    ['lm-studio/llama', 'llama'],
  ]);
});

test('invalid model names, and a provider with an invalid key, are left out', () => {
  const { config } = defaultConfig({
    ...base,
    discovered: [
      { preset: 'ollama', baseUrl: 'http://127.0.0.1:1/v1', models: ['a b', '', 'x*', 'fine:latest'] },
      { preset: 'groq', baseUrl: 'https://g.example/v1', apiKeyEnv: 'BROKEN', models: ['m'] },
    ],
  });
  expect(config.upstreams.map(({ name }) => name)).toEqual(['simulated', 'ollama']);
  expect(config.models.slice(4).map(({ id }) => id)).toEqual(['fine:latest']);
});
