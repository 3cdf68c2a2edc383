import { describe, expect, test } from 'vitest';
import { upstreamSchema, upstreamSpec } from '../../../platform/config/schema/upstream.ts';
import { defaultQuirks } from 'chat-formats/chat-completions/quirks.ts';
import { decodeModelList } from './model-list.ts';
import { knownKinds, presets } from './presets.ts';
import { resolveUpstream } from '../resolve-upstream.ts';

const spec = (entry: Record<string, unknown>) => upstreamSpec(upstreamSchema.parse({ name: 'acme', ...entry }));

describe('presets', () => {
  test('have unique names and addresses', () => {
    expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
    const named = presets.filter(({ name }) => name !== 'google-openai');
    expect(new Set(named.map(({ baseUrl }) => baseUrl)).size).toBe(named.length);
  });

  test.each(presets.map((preset) => [preset.name, preset] as const))(
    '%s can be configured by its name',
    (name, preset) => {
      const resolved = resolveUpstream(spec({ kind: name, api_key: 'k' }));
      expect(resolved).toMatchObject({
        name: 'acme',
        baseUrl: preset.baseUrl,
        apiKeys: ['k'],
        quirks: { ...defaultQuirks, thinkingDefaults: preset.quirks.thinkingStyle !== undefined, ...preset.quirks },
      });
      expect(upstreamSchema.safeParse({ name, kind: name, base_url: preset.baseUrl }).success).toBe(true);
    },
  );

  test('use TLS for remote providers and the loopback address for local ones', () => {
    for (const { baseUrl, environment } of presets) {
      expect(baseUrl).toMatch(
        environment.length > 0 ? /^https:\/\/[^/]+\.[^/]+(?:\/\S*[^/])?$/ : /^http:\/\/127\.0\.0\.1:\d+\/v1$/,
      );
    }
  });

  test('are the known kinds, together with the clouds and the simulated one', () => {
    const others = ['bedrock', 'vertex', 'azure', 'simulated'];
    expect(knownKinds.map(({ name }) => name)).toEqual([...presets.map(({ name }) => name), ...others]);
  });

  test('list the required fields for exactly the kinds with settings of their own', () => {
    const own = knownKinds.filter((kind) => kind.own).map(({ name }) => name);
    expect(own).toEqual(['mistral', 'google', 'cohere', 'bedrock', 'vertex', 'azure']);
  });
});

describe('resolving an upstream', () => {
  test('treats `openai` with another address as a provider of the standard format', () => {
    const resolved = resolveUpstream(spec({ kind: 'openai', base_url: 'https://api.acme.example/v1' }));
    expect(resolved).toMatchObject({ baseUrl: 'https://api.acme.example/v1', apiKeys: [], quirks: defaultQuirks });
  });

  test('treats `openai` with its own address, or none, as OpenAI', () => {
    for (const entry of [{}, { base_url: 'https://api.openai.com/v1' }]) {
      expect(resolveUpstream(spec({ kind: 'openai', ...entry })).quirks.maxTokensField).toBe('max_completion_tokens');
    }
  });

  test('lets the file override the preset', () => {
    const quirks = { thinking_style: 'none', completions: false, completions_url: 'https://x.example/beta' };
    const resolved = resolveUpstream(
      spec({ kind: 'deepseek', base_url: 'https://x.example', api_keys: ['a', 'b'], quirks }),
    );
    expect(resolved).toMatchObject({ baseUrl: 'https://x.example', apiKeys: ['a', 'b'] });
    expect(resolved.quirks).toMatchObject({
      thinkingStyle: 'none',
      completions: false,
      suffix: true,
      completionsUrl: 'https://x.example/beta',
    });
  });

  test('throws for an unknown kind', () => {
    expect(() => resolveUpstream(spec({ kind: 'stranger' }))).toThrow('stranger');
  });
});

describe('a list of models', () => {
  const chat = [
    'gpt-6-astra',
    'claude-opus-5',
    'kimi-k3',
    'glm-5.2',
    'qwen3-vl-plus',
    'deepseek-v4-pro',
    'llama3.2:latest',
    'Qwen/Qwen3-Coder-480B',
  ];
  const others = [
    'text-embedding-3-large',
    'bge-m3',
    'whisper-large-v3',
    'tts-1-hd',
    'gpt-4o-realtime-preview',
    'dall-e-3',
    'gpt-image-1',
    'omni-moderation-latest',
    'imagen-4.0',
    'black-forest-labs/FLUX.1',
    'llama-guard-4-12b',
    'davinci-002',
    'qwen3-rerank',
    'nomic-embed-text',
  ];

  test('keeps chat models and leaves out others', () => {
    const list = JSON.stringify({ data: [...chat, ...others].map((id) => ({ id })) });
    expect(decodeModelList(list)?.map(({ id }) => id)).toEqual(chat);
  });

  test('may have names instead of ids, and capabilities', () => {
    const models = [
      { name: 'models/gemini-3-pro', supportedGenerationMethods: ['generateContent'], inputTokenLimit: 1_048_576 },
      { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
    ];
    const expected = [{ id: 'gemini-3-pro', ownedBy: undefined, contextWindow: 1_048_576 }];
    expect(decodeModelList(JSON.stringify({ models }), 'models/')).toEqual(expected);
  });

  test.each(['', 'null', '7', '{}', '{"data":{}}', '<html>'])('is not %j', (body) => {
    expect(decodeModelList(body)).toBeUndefined();
  });
});
