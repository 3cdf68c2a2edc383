import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { GatewayError } from '../../gateway-error.ts';
import { decodeCountTokensRequest, decodeMessagesRequest } from './decode-request.ts';

const source = { text: '{}', bytes: 100, headers: { 'anthropic-version': '2023-06-01' } };
const decode = (value: unknown) => decodeMessagesRequest(value, source);
const hello = [{ role: 'user', content: 'hello' }];
const body = (fields: object = {}) => ({ model: 'm', max_tokens: 9, messages: hello, ...fields });
const turns = (...messages: readonly unknown[]) => decode(body({ messages })).messages;
const blocks = (role: string, ...content: readonly unknown[]) => turns({ role, content });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });

/** The error message for a rejected body. */
function refusal(value: unknown, read: (value: unknown) => unknown = decode): string {
  try {
    read(value);
  } catch (error) {
    if (error instanceof GatewayError && error.case === 'invalid-request') return error.detail ?? '';
    throw error;
  }
  return 'accepted';
}

test('a minimal request has no values for optional fields', () => {
  const value = body();
  expect(decode(value)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: [text('hello')] }],
    tools: [],
    maxTokens: 9,
    choices: 1,
    stop: [],
    logprobs: false,
    wantsStream: false,
    providerTools: [],
    hasUnsizedContent: false,
    wire: { format: 'messages', body: value, ...source },
  });
  expect(decode(value).wire.body).toBe(value);
});

describe('fields', () => {
  test.each<[object, object]>([
    [{ stream: true }, { wantsStream: true }],
    [{ stop_sequences: ['a', '', 'b'] }, { stop: ['a', 'b'] }],
    [
      { temperature: 0.5, top_p: 0.25, top_k: 3 },
      { temperature: 0.5, topP: 0.25, topK: 3 },
    ],
    [{ metadata: { user_id: '{"device":"ü"}' } }, { userId: '{"device":"ü"}' }],
    [{ metadata: { user_id: null } }, { userId: undefined }],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { thinking: 'enabled', thinkingBudget: 2048 }],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, { thinking: 'enabled', thinkingBudget: undefined }],
    [{ thinking: { type: 'disabled' } }, { thinking: 'disabled', thinkingBudget: undefined }],
    [{ output_config: { effort: 'low' } }, { effort: 'high' }],
    [{ output_config: { effort: 'medium' } }, { effort: 'high' }],
    [{ output_config: { effort: 'high' } }, { effort: 'high' }],
    [{ output_config: { effort: 'xhigh' } }, { effort: 'max' }],
    [{ output_config: { effort: 'max' } }, { effort: 'max' }],
    [{ output_config: { format: { type: 'json_schema', schema: { a: 1 } } } }, { answerFormat: { schema: { a: 1 } } }],
    [{ output_format: { type: 'json_schema', schema: { a: 1 } } }, { answerFormat: { schema: { a: 1 } } }],
    [{ tool_choice: { type: 'auto' } }, { toolChoice: 'auto', parallelToolCalls: undefined }],
    [
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
    [{ tool_choice: { type: 'tool', name: 'f' } }, { toolChoice: { name: 'f' } }],
    [{ tool_choice: { type: 'none' } }, { toolChoice: 'none' }],
    [{ max_tokens: 0 }, { maxTokens: 0 }],
    [
      { system: null, tools: null, thinking: null, tool_choice: null, stop_sequences: null },
      { tools: [], stop: [] },
    ],
  ])('%j are decoded as %j', (fields, expected) => {
    expect(decode(body(fields))).toMatchObject(expected);
  });

  test('decode tools of the client and leave out tools of the provider', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [
      { name: 'f', description: 'does', input_schema: schema, strict: true, cache_control: { type: 'ephemeral' } },
      { type: 'custom', name: 'g', input_schema: {}, defer_loading: true },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ];
    expect(decode(body({ tools })).tools).toEqual([
      { name: 'f', description: 'does', parameters: schema, strict: true, cache: '5m' },
      { name: 'g', parameters: {} },
    ]);
  });

  test('need no cap for counting tokens', () => {
    const { max_tokens: _, ...rest } = body();
    expect(decodeCountTokensRequest(rest, source).maxTokens).toBeUndefined();
    expect(refusal(rest)).toBe('max_tokens is required and must be an integer between 0 and 2147483647.');
  });
});

describe('messages', () => {
  test('begin with the system prompt, given as a string or as blocks', () => {
    expect(decode(body({ system: 'be brief' })).messages[0]).toEqual({ role: 'system', content: [text('be brief')] });
    const system = [text('a', { cache_control: { type: 'ephemeral', ttl: '1h' } }), text('b')];
    expect(decode(body({ system })).messages[0]).toEqual({
      role: 'system',
      content: [text('a', { cache: '1h' }), text('b')],
    });
    expect(decode(body({ system: '' })).messages).toHaveLength(1);
  });

  test('of the role system keep their position', () => {
    expect(turns(...hello, { role: 'system', content: 'now' }).map(({ role }) => role)).toEqual(['user', 'system']);
  });

  test.each<[string, object, object]>([
    ['text', text('a', { citations: null }), text('a')],
    [
      'an image as data',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'image', source: { mediaType: 'image/png', data: 'AA==' } },
    ],
    [
      'an image by URL',
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'image', source: { url: 'https://x.example/a.png' } },
    ],
    [
      'a document as data',
      { type: 'document', title: 't', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } },
      { type: 'document', title: 't', source: { mediaType: 'application/pdf', data: 'AA==' } },
    ],
    [
      'a document by URL',
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      { type: 'document', source: { url: 'https://x.example/a.pdf' } },
    ],
    [
      'a document as text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      { type: 'document', source: { text: 'words' } },
    ],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'content', content: [text('a'), text('b')] } },
      { type: 'document', source: { text: 'a\nb' } },
    ],
    [
      'a document of a string',
      { type: 'document', source: { type: 'content', content: 'a' } },
      { type: 'document', source: { text: 'a' } },
    ],
  ])('of the user may hold %s', (_, block, part) => {
    expect(blocks('user', block)).toEqual([{ role: 'user', content: [part] }]);
    const marked = { ...block, cache_control: { type: 'ephemeral', ttl: '5m' } };
    expect(blocks('user', marked)).toEqual([{ role: 'user', content: [{ ...part, cache: '5m' }] }]);
  });

  test('of the assistant keep the order of reasoning, text and calls', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'proof' },
      { type: 'thinking', thinking: 'unproven', signature: '' },
      { type: 'redacted_thinking', data: 'secret' },
      text('let me see'),
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { b: 1, a: [] }, cache_control: { type: 'ephemeral' } },
      { type: 'tool_use', id: 'toolu_2', name: 'g' },
    ];
    expect(blocks('assistant', ...content)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', signature: 'proof' },
          { type: 'reasoning', text: 'unproven' },
          { type: 'redacted-reasoning', data: 'secret' },
          text('let me see'),
          { type: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{"b":1,"a":[]}', cache: '5m' },
          { type: 'tool-call', id: 'toolu_2', name: 'g', arguments: '{}' },
        ],
      },
    ]);
  });

  test('with tool results are split: one for each result, in order, then the other blocks', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } };
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'done' },
      text('and now?'),
      { type: 'tool_result', tool_use_id: 'b', content: [text('see'), image], is_error: true },
      { type: 'tool_result', tool_use_id: 'c', cache_control: { type: 'ephemeral' } },
    ];
    expect(blocks('user', ...content)).toEqual([
      { role: 'tool', toolCallId: 'a', content: [text('done')], isError: false },
      {
        role: 'tool',
        toolCallId: 'b',
        content: [text('see'), { type: 'image', source: { url: 'https://x.example/a.png' } }],
        isError: true,
      },
      { role: 'tool', toolCallId: 'c', content: [], isError: false, cache: '5m' },
      { role: 'user', content: [text('and now?')] },
    ]);
    expect(blocks('user', content[0])).toHaveLength(1);
  });

  test('name a tool found by a tool search', () => {
    const content = [{ type: 'tool_reference', tool_name: 'WebFetch' }];
    expect(blocks('user', { type: 'tool_result', tool_use_id: 'a', content })).toEqual([
      { role: 'tool', toolCallId: 'a', content: [text('The tool WebFetch can be used now.')], isError: false },
    ]);
  });

  test('get the cache marker of the request on the last part that can have one', () => {
    const marked = (messages: readonly unknown[]) =>
      decode(body({ messages, cache_control: { type: 'ephemeral' } })).messages;
    expect(marked(hello)).toEqual([{ role: 'user', content: [text('hello', { cache: '5m' })] }]);
    const own = text('x', { cache_control: { type: 'ephemeral', ttl: '1h' } });
    expect(marked([{ role: 'user', content: [own] }])).toEqual([
      { role: 'user', content: [text('x', { cache: '1h' })] },
    ]);
    const thinkingBlock = { type: 'thinking', thinking: 'hm', signature: 's' };
    expect(marked([{ role: 'assistant', content: [text('x'), thinkingBlock] }])).toMatchObject([
      { content: [text('x', { cache: '5m' }), { type: 'reasoning' }] },
    ]);
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' };
    expect(marked([{ role: 'user', content: [result] }])).toMatchObject([{ role: 'tool', cache: '5m' }]);
  });
});

describe('the error of an invalid request names the field and the rule', () => {
  test.each<[unknown, string]>([
    [null, 'The body must be a JSON object.'],
    [[], 'The body must be a JSON object.'],
    [{ max_tokens: 1, messages: hello }, 'model is required and must be a string.'],
    [body({ model: 5 }), 'model must be a string.'],
    [body({ max_tokens: 1.5 }), 'max_tokens must be an integer between 0 and 2147483647.'],
    [body({ max_tokens: -1 }), 'max_tokens must be an integer between 0 and 2147483647.'],
    [body({ messages: undefined }), 'messages is required and must be a list of messages.'],
    [body({ messages: [] }), 'messages must hold at least one message.'],
    [body({ messages: ['x'] }), 'messages[0] must be an object.'],
    [
      body({ messages: [{ role: 'tool', content: '' }] }),
      'messages[0].role must be one of user, assistant and system.',
    ],
    [
      body({ messages: [...hello, { role: 'user' }] }),
      'messages[1].content is required and must be a string or a list of content blocks.',
    ],
    [body({ messages: [{ role: 'user', content: [5] }] }), 'messages[0].content[0] must be an object.'],
    [
      body({ messages: [{ role: 'user', content: [text('a'), {}] }] }),
      'messages[0].content[1].type is required and must be a string.',
    ],
    [
      body({ messages: [{ role: 'user', content: [{ type: 'text' }] }] }),
      'messages[0].content[0].text is required and must be a string.',
    ],
    [
      body({ messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] }),
      'messages[0].content[0].source.type is required and must be a string.',
    ],
    [
      body({ messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] }),
      'messages[0].content[0].tool_use_id is required and must be a string.',
    ],
    [
      body({
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [text('a'), 5] }] }],
      }),
      'messages[0].content[0].content[1] must be an object.',
    ],
    [
      body({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }] }),
      'messages[0].content[0].name is required and must be a string.',
    ],
    [
      body({ system: [{ type: 'image' }] }),
      'system[0].type must be text; system[0].text is required and must be a string.',
    ],
    [body({ system: 5 }), 'system must be a string or a list of text blocks.'],
    [body({ temperature: 1.5 }), 'temperature must be between 0 and 1.'],
    [body({ top_p: 2 }), 'top_p must be between 0 and 1.'],
    [body({ top_k: 0.5 }), 'top_k must be an integer between 0 and 2147483647.'],
    [body({ stream: 'yes' }), 'stream must be a boolean.'],
    [body({ stop_sequences: 'x' }), 'stop_sequences must be a list of strings.'],
    [body({ metadata: { user_id: 5 } }), 'metadata.user_id must be a string.'],
    [body({ thinking: {} }), 'thinking.type is required and must be a string.'],
    [body({ tools: [{ name: 'f' }] }), 'tools[0].input_schema is required and must be an object.'],
    [body({ tools: [{ type: 'custom', input_schema: {} }] }), 'tools[0].name is required and must be a string.'],
    [body({ tool_choice: { type: 'tool' } }), 'tool_choice.name is required and must be a string.'],
    [body({ tool_choice: 'auto' }), 'tool_choice must be an object.'],
    [
      JSON.parse('{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"other":1e999}'),
      'other holds a number that is out of range.',
    ],
  ])('for %j', (value, words) => {
    expect(refusal(value)).toBe(words);
  });
});

test.each([
  body({ messages: [{ role: 'user', content: [{ type: 'hologram', beam: 1 }] }] }),
  body({ tools: [{ type: 'bash_20990101' }] }),
  body({ tool_choice: { type: 'several' }, thinking: { type: 'between_tools' }, output_config: { effort: 'ultra' } }),
  body({ brand_new: { x: 1 } }),
])('the decoder accepts %j and leaves validation to the provider', (value) => {
  expect(refusal(value)).toBe('accepted');
});

test('the decoder throws only invalid-request for arbitrary JSON', () => {
  const type = fc.constantFrom('text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'x', 5);
  const block = fc.oneof(
    fc.record(
      {
        type,
        text: fc.jsonValue(),
        source: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constantFrom('base64', 'url', 'text', 'content', 'file'), content: fc.jsonValue() }),
        ),
        content: fc.jsonValue(),
        input: fc.jsonValue(),
        id: fc.jsonValue(),
        cache_control: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  );
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.array(block) });
  const names = ['system', 'tools', 'tool_choice', 'thinking', 'output_config', 'metadata', 'cache_control'] as const;
  const fields = Object.fromEntries(names.map((name) => [name, fc.jsonValue()]));
  const request = fc.record(
    { model: fc.string(), max_tokens: fc.nat(), messages: fc.array(message, { minLength: 1 }), ...fields },
    { requiredKeys: ['model', 'max_tokens', 'messages'] },
  );
  fc.assert(
    fc.property(fc.oneof(request, fc.jsonValue()), (value) => {
      refusal(value);
      refusal(value, (body) => decodeCountTokensRequest(body, source));
    }),
    { numRuns: isDeep ? 1000 : 150 },
  );
});
