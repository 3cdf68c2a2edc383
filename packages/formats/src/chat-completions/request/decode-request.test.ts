import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../../gateway-error.ts';
import { decodeChatRequest } from './decode-request.ts';
import { chatRequestSchema } from './request-schema.ts';

const hello = [{ role: 'user', content: 'hello' }];
const body = (fields: object = {}) => ({ model: 'm', messages: hello, ...fields });
const messages = (...list: readonly unknown[]) => ({ model: 'm', messages: list });
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const decode = (value: unknown) => decodeChatRequest(value, 100);

/** The error message for a rejected body. */
function refusal(value: unknown): string {
  try {
    decode(value);
  } catch (error) {
    if (error instanceof GatewayError && error.case === 'invalid-request') return error.detail ?? '';
    throw error;
  }
  return 'accepted';
}

const text = (words: string) => ({ type: 'text', text: words });

test('a minimal request has no values for optional fields', () => {
  const value = body();
  expect(decode(value)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    tools: [],
    toolChoice: undefined,
    maxTokens: undefined,
    choices: 1,
    stop: [],
    thinking: undefined,
    effort: undefined,
    userId: undefined,
    logprobs: false,
    topLogprobs: undefined,
    wantsStream: false,
    providerTools: [],
    hasUnsizedContent: false,
    wire: { format: 'chat-completions', body: value, bytes: 100 },
  });
});

test('a full request is decoded field by field, and its body is kept unchanged', () => {
  const value = body({
    messages: [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'x' } },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', content: 'done', tool_call_id: 'c' },
      { role: 'assistant', content: 'ok', prefix: true, name: 'bot' },
    ],
    tools: [tool('f', { description: 'does', parameters: { type: 'object' } }), tool('g')],
    tool_choice: { type: 'function', function: { name: 'g' } },
    max_tokens: 7,
    n: 3,
    stop: ['x', '', 'y'],
    thinking: { type: 'disabled' },
    reasoning_effort: 'low',
    user_id: 'u-1',
    logprobs: true,
    top_logprobs: 4,
    stream: true,
  });
  const { wire, ...read } = decode(value);
  expect(wire.body).toBe(value);
  expect(read).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: [text('be brief')] },
      {
        role: 'user',
        content: [text('a'), { type: 'image', source: { url: 'x' } }, text('b')],
      },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c', content: [text('done')], isError: false },
      { role: 'assistant', content: [text('ok')] },
    ],
    tools: [
      { name: 'f', description: 'does', parameters: { type: 'object' } },
      { name: 'g', description: undefined, parameters: undefined },
    ],
    toolChoice: { name: 'g' },
    maxTokens: 7,
    choices: 3,
    stop: ['x', 'y'],
    thinking: 'disabled',
    effort: 'high',
    userId: 'u-1',
    logprobs: true,
    topLogprobs: 4,
    wantsStream: true,
    providerTools: [],
    hasUnsizedContent: false,
  });
});

test.each([
  ['low', 'high'],
  ['medium', 'high'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
  [null, undefined],
])('the decoder reads effort %s as %s', (sent, effort) => {
  expect(decode(body({ reasoning_effort: sent })).effort).toBe(effort);
});

test('the decoder uses max_completion_tokens if max_tokens is missing', () => {
  expect(decode(body({ max_completion_tokens: 5 })).maxTokens).toBe(5);
  expect(decode(body({ max_completion_tokens: 5, max_tokens: 6 })).maxTokens).toBe(6);
});

test('thinking without a type is enabled', () => {
  expect(decode(body({ thinking: {} })).thinking).toBe('enabled');
});

describe('the error of an invalid request names the field and the rule', () => {
  test.each<[string, unknown]>([
    ['The body must be a JSON object.', null],
    ['The body must be a JSON object.', 1],
    ['The body must be a JSON object.', 'x'],
    ['The body must be a JSON object.', []],
    ['The body is required and must be a JSON object.', undefined],
    ['model is required and must be a string.', { messages: hello }],
    ['model must be a string.', body({ model: null })],
    ['messages is required and must be a list of messages.', { model: 'm' }],
    ['messages must be a list of messages.', { model: 'm', messages: {} }],
    ['messages must hold at least one message.', messages()],
    ['messages[0] must be an object.', messages(null)],
    ['messages[1] must be an object.', messages(hello[0], [])],
    ['messages[0].role must be one of system, user, assistant and tool.', messages({ content: 'x' })],
    ['messages[0].role must be one of system, user, assistant and tool.', messages({ role: 'System', content: 'x' })],
    ['messages[0].content must be a string or a list of content parts.', messages({ role: 'user', content: null })],
    [
      'messages[2].content must be a string or a list of content parts.',
      messages(...hello, ...hello, { role: 'user', content: 4 }),
    ],
    ['messages[0].content is required and must be a string or a list of content parts.', messages({ role: 'system' })],
    ['messages[0].content is required: a string, or null.', messages({ role: 'assistant' })],
    [
      'messages[0].content[1] must be an object.',
      messages({ role: 'user', content: [{ type: 'text', text: 'x' }, 5] }),
    ],
    ['messages[0].content[0].type is required and must be a string.', messages({ role: 'user', content: [{}] })],
    ['messages[0].content[0].text must be a string.', messages({ role: 'user', content: [{ type: 'text', text: 4 }] })],
    ['messages[0].tool_call_id is required and must be a string.', messages({ role: 'tool', content: 'x' })],
    ['messages[0].tool_call_id must be a string.', messages({ role: 'tool', content: 'x', tool_call_id: 3 })],
    ['messages[0].name must be a string.', messages({ role: 'user', content: 'x', name: 5 })],
    [
      'messages[0].tool_calls must be a list of tool calls.',
      messages({ role: 'assistant', content: '', tool_calls: {} }),
    ],
    [
      'messages[0].tool_calls[0].function.arguments must be a string.',
      messages({ role: 'assistant', content: '', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }),
    ],
    ...[0, -1, 1.5, '9', 1e308, 2 ** 53, Infinity].flatMap((value): [string, unknown][] => [
      ['max_tokens must be an integer between 1 and 2147483647.', body({ max_tokens: value })],
      ['max_completion_tokens must be an integer between 1 and 2147483647.', body({ max_completion_tokens: value })],
    ]),
    ['temperature must be between 0 and 2.', body({ temperature: -0.1 })],
    ['temperature must be between 0 and 2.', body({ temperature: 2.01 })],
    ['temperature must be a number.', body({ temperature: '1' })],
    ['temperature must be a number.', body({ temperature: Infinity })],
    ['top_p must be between 0 and 1.', body({ top_p: 1.01 })],
    ['top_p must be a number.', body({ top_p: {} })],
    ['response_format must be an object.', body({ response_format: 'json' })],
    ['response_format.type is required and must be text, json_object or json_schema.', body({ response_format: {} })],
    ['response_format.type must be text, json_object or json_schema.', body({ response_format: { type: 'xml' } })],
    ['stop must be a string or a list of up to 16 strings.', body({ stop: Array.from({ length: 17 }, () => 'x') })],
    ['stop must be a string or a list of up to 16 strings.', body({ stop: {} })],
    ['stop[0] must be a string.', body({ stop: [1] })],
    ['stop[0] must be a string.', body({ stop: [null] })],
    ['stream must be a boolean.', body({ stream: 'yes' })],
    ['stream_options must be an object.', body({ stream_options: 'x' })],
    ['stream_options.include_usage must be a boolean.', body({ stream_options: { include_usage: 1 } })],
    [
      'tools must hold at most 128 elements.',
      body({ tools: Array.from({ length: 129 }, (_, index) => tool(`f${index}`)) }),
    ],
    ['tools must be a list of tools.', body({ tools: {} })],
    ['tools[0] must be an object.', body({ tools: [null] })],
    ['tools[0].type must be function.', body({ tools: [{ ...tool('f'), type: 'web' }] })],
    ['tools[0].function is required and must be an object.', body({ tools: [{ type: 'function' }] })],
    ...['', 'a'.repeat(65), 'a b', 'é', 'a.b', 'a\n'].map((name): [string, unknown] => [
      'tools[1].function.name must be 1 to 64 letters, digits, _ or -.',
      body({ tools: [tool('f'), tool(name)] }),
    ]),
    ['tools[0].function.parameters must be an object.', body({ tools: [tool('f', { parameters: 'x' })] })],
    ['tools[0].function.parameters must be an object.', body({ tools: [tool('f', { parameters: [] })] })],
    ['tools[0].function.strict must be a boolean.', body({ tools: [tool('f', { strict: 'yes' })] })],
    [
      'tool_choice must be none, auto, required or an object that names a function.',
      body({ tools: [tool('f')], tool_choice: 'any' }),
    ],
    [
      'tool_choice must be none, auto, required or an object that names a function.',
      body({ tools: [tool('f')], tool_choice: {} }),
    ],
    [
      'tool_choice.function.name must name a function listed in tools.',
      body({ tools: [tool('f')], tool_choice: tool('g') }),
    ],
    ['tool_choice must not be required when no tools are given.', body({ tool_choice: 'required' })],
    ['tool_choice must not be required when no tools are given.', body({ tool_choice: 'required', tools: [] })],
    ['thinking must be an object.', body({ thinking: 'on' })],
    ['thinking.type must be enabled or disabled.', body({ thinking: { type: 'auto' } })],
    ['reasoning_effort must be none, minimal, low, medium, high, xhigh or max.', body({ reasoning_effort: 'ultra' })],
    ['reasoning_effort must be none, minimal, low, medium, high, xhigh or max.', body({ reasoning_effort: 3 })],
    ['user_id must be at most 512 characters long.', body({ user_id: 'u'.repeat(513) })],
    ['user_id must consist of letters, digits, _ and -.', body({ user_id: 'a@example.com' })],
    ['user_id must be a string.', body({ user_id: 5 })],
    ['logprobs must be a boolean.', body({ logprobs: 'true' })],
    ['top_logprobs must be an integer between 0 and 20.', body({ logprobs: true, top_logprobs: 21 })],
    ['top_logprobs must be an integer between 0 and 20.', body({ logprobs: true, top_logprobs: 1.5 })],
    ['top_logprobs requires logprobs to be true.', body({ top_logprobs: 0 })],
    ['top_logprobs requires logprobs to be true.', body({ logprobs: false, top_logprobs: 3 })],
    ['n must be an integer between 1 and 128.', body({ n: 1_000_000 })],
    ['n must be an integer between 1 and 128.', body({ n: 0 })],
    ['seed holds a number that is out of range.', body({ seed: Infinity })],
    ['The body holds a number that is out of range.', body({ ['x'.repeat(65)]: -Infinity })],
  ])('%s', (expected, value) => {
    expect(refusal(value)).toBe(expected);
  });

  test('lists at most three fields, and never a value', () => {
    const long = 'x'.repeat(10_000);
    const words = refusal(
      body({ temperature: long, top_p: long, stop: { long }, user_id: `${long} `, tool_choice: long }),
    );
    expect(words.split('; ')).toHaveLength(3);
    expect(words.length).toBeLessThan(300);
  });
});

describe('the decoder accepts', () => {
  const optional = Object.keys(chatRequestSchema.shape).filter((name) => name !== 'model' && name !== 'messages');

  test.each(optional)('null for %s', (name) => {
    expect(refusal(body({ [name]: null }))).toBe('accepted');
  });

  test.each<[string, object]>([
    ['16 stops', { stop: Array.from({ length: 16 }, () => 'x') }],
    ['an empty stop', { stop: '' }],
    ['128 tools', { tools: Array.from({ length: 128 }, (_, index) => tool(`f${index}`)) }],
    ['a function name of 64 characters', { tools: [tool('a'.repeat(64))] }],
    ['tool_choice auto without tools', { tool_choice: 'auto' }],
    ['user_id of 512 characters', { user_id: 'u'.repeat(512) }],
    ['penalties of any kind', { frequency_penalty: { a: [1] }, presence_penalty: 'x' }],
    ['json_schema', { response_format: { type: 'json_schema', json_schema: {} } }],
    ['an empty model name', { model: '' }],
    [
      'an assistant message of tool calls alone',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '' } }] }] },
    ],
    ['the limits themselves', { temperature: 2, top_p: 0, max_tokens: 1, n: 128 }],
  ])('%s', (_, fields) => {
    expect(refusal(body(fields))).toBe('accepted');
  });
});

test('a body with __proto__ keys changes no prototype', () => {
  const value = JSON.parse(
    '{"model":"m","messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  const request = decode(value);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect((request as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(refusal(JSON.parse('{"__proto__":{"model":"m","messages":[{"role":"user","content":"x"}]}}'))).toContain(
    'model is required',
  );
});

test.each<[string, string, (list: readonly unknown[]) => object]>([
  ['messages', 'messages[0].role', (list) => ({ messages: list })],
  ['content parts', 'messages[0].content[0].type', (list) => ({ messages: [{ role: 'user', content: list }] })],
  ['tools', 'tools[0].type', (list) => ({ tools: list })],
])('the decoder stops at the first invalid element of a long list of %s', (_, field, fields) => {
  let reads = 0;
  const bad = {
    get role() {
      return ++reads;
    },
    get type() {
      return ++reads;
    },
  };
  expect(refusal(body(fields(Array.from({ length: 100 }, () => bad))))).toContain(field);
  expect(reads).toBeLessThan(10);
});

test('the decoder reads no element of a list that is too long', () => {
  const unreadable = Array.from({ length: 129 }, () => ({
    get type() {
      throw new Error('Read.');
    },
  }));
  expect(refusal(body({ tools: unreadable }))).toBe('tools must hold at most 128 elements.');
});

test('every field of the schema has a description', () => {
  const schema = z.toJSONSchema(chatRequestSchema) as {
    properties: Record<string, { items?: unknown; description?: string }>;
  };
  expect(schema.properties['messages']?.items).toMatchObject({ oneOf: expect.any(Array) });
  for (const [name, field] of Object.entries(schema.properties)) expect(field.description, name).toBeTruthy();
});
