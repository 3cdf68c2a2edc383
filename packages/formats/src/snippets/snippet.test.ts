import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passThroughEndpoints } from '../chat/pass-through-endpoint.ts';
import { json, literal, python, typescript } from './literal.ts';
import type { SnippetEndpoint } from './snippet-request.ts';
import { type SnippetTool, snippet } from './snippet.ts';

const baseUrl = 'https://gateway.test/v1';
const model = 'it\'s "模型" $HOME `id` \\ !';
const models = ['house/large', model];
const chatFields = { messages: [{ role: 'user', content: 'Hello!' }], stream: true };

/** The arguments that the shell passes to a program, and an environment variable there. */
function shellRun(code: string, program: string, variable = 'GATEWAY_KEY') {
  const script = `${program}() { printf '%s\\0' "$@" "$${variable}"; }\n${code}`;
  const output = execFileSync('sh', ['-c', script], { env: { GATEWAY_KEY: 'secret' }, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

/** The values after an option of a command. */
function optionsIn(words: readonly string[], option: string): readonly string[] {
  return words.filter((_, index) => words[index - 1] === option);
}

/** The values that Python reads. */
function pythonValue(source: string): unknown {
  const words: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', ',': '' };
  const tokens = /"(?:[^"\\]|\\.)*"|None|True|False|,(?=\s*[\]}])/g;
  return JSON.parse(source.replace(tokens, (token) => words[token] ?? token));
}

describe.each(models)('for the model %s', (name) => {
  test.each(['lines', 'one line'])('curl sends the body as JSON, on %s', (layout) => {
    const code = snippet('curl', { endpoint: 'chat', baseUrl, model: name, isOneLine: layout === 'one line' });
    const words = shellRun(code, 'curl');
    expect(words.slice(0, 2)).toEqual(['-N', `${baseUrl}/chat/completions`]);
    expect(optionsIn(words, '-H')).toEqual(['Authorization: Bearer secret', 'Content-Type: application/json']);
    expect(JSON.parse(optionsIn(words, '-d')[0] ?? '')).toEqual({ model: name, ...chatFields });
    expect(code.includes('\n')).toBe(layout === 'lines');
  });

  test.each(passThroughEndpoints)('curl sends the model to %s', (endpoint) => {
    const words = shellRun(snippet('curl', { endpoint, baseUrl, key: 'other', model: name }), 'curl');
    expect(optionsIn(words, '-H')[0]).toBe('Authorization: Bearer other');
    const [form, data] = [optionsIn(words, '-F')[0], optionsIn(words, '-d')[0]];
    if (endpoint === 'transcriptions') expect(form).toBe(`model=${name}`);
    else expect(JSON.parse(data ?? '')).toMatchObject({ model: name });
  });

  test.each<[SnippetTool, SnippetEndpoint]>([
    ['openai (TypeScript)', 'chat'],
    ['openai (TypeScript)', 'responses'],
    ['anthropic (TypeScript)', 'messages'],
    ['AI SDK', 'chat'],
    ['AI SDK', 'messages'],
    ['AI SDK', 'responses'],
    ['Agents SDK', 'responses'],
  ])('%s is a valid program for %s', (tool, endpoint) => {
    const code = snippet(tool, { endpoint, baseUrl, model: name });
    execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: code });
    const [, text = ''] = /(?:model: |gateway\()('(?:[^'\\]|\\.)*')/.exec(code) ?? [];
    expect(vm.runInNewContext(text)).toBe(name);
  });

  test.each<[SnippetTool, SnippetEndpoint]>([
    ['openai (Python)', 'chat'],
    ['openai (Python)', 'responses'],
    ['anthropic (Python)', 'messages'],
  ])('%s passes Python values for %s', (tool, endpoint) => {
    const fields = { ...chatFields, metadata: { long: 'x'.repeat(80), none: null } };
    const code = snippet(tool, { endpoint, baseUrl, model: name, body: fields });
    const values = [...code.matchAll(/^ {4}(\w+)=([^]*?),\n(?= {4}\w|\))/gm)].map(([, key = '', value = '']) => [
      key,
      pythonValue(value),
    ]);
    const { stream: _, ...unstreamed } = fields;
    const expected = tool === 'anthropic (Python)' ? unstreamed : fields;
    expect(Object.fromEntries(values)).toEqual({ model: name, ...expected });
  });

  test('Claude Code gets its address, key and model', () => {
    const code = snippet('Claude Code', { endpoint: 'messages', baseUrl, model: name });
    expect(shellRun(code, 'claude', 'ANTHROPIC_SMALL_FAST_MODEL')).toEqual(['--model', name, name]);
    expect(shellRun(code, 'claude', 'ANTHROPIC_API_KEY').at(-1)).toBe('secret');
    expect(shellRun(code, 'claude', 'ANTHROPIC_BASE_URL').at(-1)).toBe(baseUrl);
  });

  test('Codex gets strings that TOML reads', () => {
    const code = snippet('Codex', { endpoint: 'responses', baseUrl, model: name });
    const pairs = [...code.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value = '']) => [key, JSON.parse(value)]);
    expect(Object.fromEntries(pairs)).toMatchObject({
      model: name,
      base_url: baseUrl,
      model_catalog_url: `${baseUrl}/models`,
      api_key_model_discovery: true,
    });
  });

  test('opencode gets JSON', () => {
    const settings = JSON.parse(snippet('opencode', { endpoint: 'chat', baseUrl, key: 'k', model: name }));
    expect(settings.model).toBe(`gateway/${name}`);
    expect(settings.provider.gateway.options).toEqual({ baseURL: baseUrl, apiKey: 'k' });
    expect(settings.provider.gateway.models).toEqual({ [name]: { name } });
  });
});

test('curl sends the headers of the messages format there', () => {
  const words = shellRun(snippet('curl', { endpoint: 'messages', baseUrl: 'https://gateway.test/anthropic' }), 'curl');
  expect(words).toContain('https://gateway.test/anthropic/v1/messages');
  expect(optionsIn(words, '-H').slice(0, 2)).toEqual(['x-api-key: secret', 'anthropic-version: 2023-06-01']);
  expect(JSON.parse(optionsIn(words, '-d')[0] ?? '')).toEqual({
    model: 'MODEL_ID',
    max_tokens: 1024,
    ...chatFields,
  });
});

test('the AI SDK gets tools with their schemas', () => {
  const tools = [{ name: 'get weather', description: "It's raining", parameters: { type: 'object' } }];
  const code = snippet('AI SDK', { endpoint: 'chat', baseUrl, body: { prompt: 'Hi', tools } });
  expect(code).toContain("import { jsonSchema, streamText, tool } from 'ai';");
  expect(code).toContain(String.raw`
    'get weather': tool({
      description: 'It\'s raining',
      inputSchema: jsonSchema({ type: 'object' }),
    }),
`);
});

test('a value becomes a literal that evaluates to the same value in each language', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 80), (value, width) => {
      const text = JSON.stringify(value);
      if (text.includes('__proto__')) return;
      expect(JSON.stringify(vm.runInThisContext(`(${literal(value, typescript, '', width)})`))).toBe(text);
      expect(JSON.stringify(pythonValue(literal(value, python, '', width)))).toBe(text);
      expect(JSON.stringify(JSON.parse(literal(value, json, '', width)))).toBe(text);
    }),
  );
  expect(literal({ a: [true, false, null], b: undefined }, python)).toBe('{"a": [True, False, None]}');
});

describe('the documents have the current snippets', () => {
  const local = 'http://127.0.0.1:8080';
  const chat = { endpoint: 'chat', baseUrl: `${local}/v1`, model: 'sim-chat' } as const;
  const agent = { baseUrl: `${local}/v1`, model: 'sim-tools' };
  test.each([
    ['README.md', snippet('openai (TypeScript)', chat)],
    ['README.md', snippet('Claude Code', { ...agent, endpoint: 'messages', baseUrl: `${local}/anthropic` })],
    ['README.md', snippet('Codex', { ...agent, endpoint: 'responses' })],
    ['deploy/helm/chat-gateway/templates/NOTES.txt', snippet('curl', chat).replaceAll(/^/gm, '  ')],
  ])('%s', (file, code) => {
    const text = readFileSync(join(import.meta.dirname, '../../../..', file), 'utf8');
    expect(text).toContain(`\n${code}\n`);
  });
});
