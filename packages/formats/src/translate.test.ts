import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { GatewayError } from './gateway-error.ts';
import { decodeChatRequest } from './chat-completions/request/decode-request.ts';
import { encodeChatRequest } from './chat-completions/request/encode-request.ts';
import { defaultQuirks } from './chat-completions/quirks.ts';
import { decodeCompletionRequest } from './chat-completions/request/decode-completion-request.ts';
import { decodeMessagesRequest } from './messages/request/decode-request.ts';
import { encodeMessagesRequest } from './messages/request/encode-request.ts';
import { decodeResponsesRequest } from './responses/request/decode-request.ts';
import { translate } from './translate.ts';

/** The fields named in the error, or `undefined` if the request is accepted. */
function rejectedFields(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.case !== 'invalid-request') throw error;
    const named = /^(.+) cannot be translated: /.exec(error.detail ?? '');
    return named?.[1] ?? error.detail;
  }
  return undefined;
}

const rules = { temperatureMax: 2 };
const text = (words: string) => ({ type: 'text', text: words });
const url = { type: 'url', url: 'https://x.example/a' };

describe('a request of the messages format', () => {
  const source = { text: '', bytes: 0, headers: {} };
  const decode = (fields: object) =>
    decodeMessagesRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], ...fields }, source);
  const inFields = (fields: object) => rejectedFields(() => translate(decode(fields), rules));
  const inBlock = (role: string, ...content: readonly object[]) => inFields({ messages: [{ role, content }] });

  test.each<[object, string | undefined]>([
    [{}, undefined],
    [{ tools: [{ name: 'f', input_schema: {}, defer_loading: true, allowed_callers: ['direct'] }] }, undefined],
    [
      {
        tools: [
          { name: 'f', input_schema: {} },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      },
      'tools[1]',
    ],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools[0]'],
    [{ mcp_servers: [{ url: 'x' }] }, 'mcp_servers'],
    [{ mcp_servers: [] }, undefined],
    [{ container: 'c' }, 'container'],
    [{ container: null }, undefined],
    [{ thread: { type: 'continue' } }, 'thread'],
    [{ inference_geo: 'us' }, 'inference_geo'],
    [{ brand_new: 1, other: 2 }, 'brand_new and other'],
    [{ a: 1, b: 2, c: 3, d: 4 }, 'a, b and c'],
    [{ ['x'.repeat(65)]: 1 }, `${'x'.repeat(64)}…`],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ tool_choice: { type: 'several' } }, 'tool_choice.type'],
    [{ thinking: { type: 'between_tools' } }, 'thinking.type'],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, undefined],
    [{ output_config: { effort: 'ultra' } }, 'output_config.effort'],
    [{ output_config: { effort: null, format: null } }, undefined],
    [{ output_config: { tone: 'kind', task_budget: { total: 5 } } }, 'output_config.tone'],
    [{ output_config: { format: { type: 'grammar' } } }, 'output_config.format'],
    [{ output_format: { type: 'json_schema' } }, 'output_format'],
    [
      {
        service_tier: 'auto',
        context_management: { edits: [] },
        speed: 'fast',
        user_profile_id: 'u',
        betas: ['b'],
        cache_control: { type: 'ephemeral' },
        metadata: { user_id: 'u', more: 1 },
        diagnostics: {},
      },
      undefined,
    ],
  ])('with %j has untranslatable fields: %s', (fields, names) => {
    expect(inFields(fields)).toBe(names);
  });

  const at = 'messages[0].content[0]';
  test.each<[string, object, string | undefined]>([
    ['user', text('a'), undefined],
    ['user', { type: 'image', source: url }, undefined],
    ['user', { type: 'image', source: { type: 'file', file_id: 'f' } }, `${at}.source`],
    ['user', { type: 'image', source: { type: 'base64' } }, `${at}.source`],
    ['user', { type: 'image', source: { type: 'text', data: 'x' } }, `${at}.source`],
    ['user', { type: 'document', source: { type: 'text', data: 'x' } }, undefined],
    ['user', { type: 'document', source: url, citations: { enabled: false } }, undefined],
    ['user', { type: 'document', source: url, citations: { enabled: true } }, `${at}.citations`],
    ['user', { type: 'document', source: url, context: 'from the archive' }, `${at}.context`],
    ['user', { type: 'document', source: { type: 'content', content: [text('a')] } }, undefined],
    [
      'user',
      { type: 'document', source: { type: 'content', content: [text('a'), { type: 'image' }] } },
      `${at}.source.content[1]`,
    ],
    ['user', { type: 'search_result', source: 's', title: 't', content: [] }, at],
    ['user', { type: 'container_upload', file_id: 'f' }, at],
    ['user', { type: 'hologram' }, at],
    ['user', { type: 'tool_use', id: 'a', name: 'f', input: {} }, at],
    ['assistant', { type: 'tool_use', id: 'a', name: 'f', input: {} }, undefined],
    ['assistant', { type: 'thinking', thinking: '' }, undefined],
    ['assistant', { type: 'redacted_thinking', data: '' }, undefined],
    ['assistant', { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }, at],
    ['assistant', { type: 'web_search_tool_result', tool_use_id: 'a', content: [] }, at],
    ['assistant', { type: 'mcp_tool_use', id: 'a' }, at],
    ['assistant', { type: 'image', source: url }, at],
    ['system', text('a'), undefined],
    ['system', { type: 'image', source: url }, at],
    ['user', { type: 'tool_result', tool_use_id: 'a' }, undefined],
    [
      'user',
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'f' }] },
      undefined,
    ],
    ['user', { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: url }] }, undefined],
    [
      'user',
      { type: 'tool_result', tool_use_id: 'a', content: [text('a'), { type: 'search_result' }] },
      `${at}.content[1]`,
    ],
  ])('in a %s message, block %j has untranslatable fields: %s', (role, block, names) => {
    expect(inBlock(role, block)).toBe(names);
  });

  test('with several untranslatable blocks is rejected with the path of each', () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [text('a'), { type: 'hologram' }] },
      { role: 'user', content: [{ type: 'hologram' }] },
    ];
    expect(inFields({ messages })).toBe('messages[1].content[1] and messages[2].content[0]');
  });

  test('with an untranslatable field is rejected for a chat provider, and accepted for one of its own format', () => {
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], container: 'c' };
    const request = decodeMessagesRequest(body, { ...source, text: JSON.stringify(body) });
    const encoding = { model: 't', maxTokens: 9, thinkingCapable: false };
    expect(rejectedFields(() => encodeChatRequest(request, { ...encoding, quirks: defaultQuirks }))).toBe('container');
    const own = { ...encoding, maxOutputTokens: undefined, thinkingStyle: 'none' } as const;
    expect(encodeMessagesRequest(request, own)).toContain('"container":"c"');
  });

  test('that is rejected gets an error that says what to do', () => {
    expect(() => translate(decode({ container: 'c' }), rules)).toThrow(
      "container cannot be translated: the model's provider uses another format. Leave it out, or choose a model whose provider uses the format of this endpoint.",
    );
  });

  test('is either rejected or encoded, for arbitrary content', () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string(), cache_control: fc.jsonValue() }),
      fc.record({
        type: fc.constantFrom('image', 'document'),
        title: fc.jsonValue(),
        source: fc.record(
          { type: fc.constantFrom('base64', 'url', 'text', 'content'), data: fc.string(), content: fc.jsonValue() },
          { requiredKeys: ['type'] },
        ),
      }),
      fc.record({ type: fc.constant('tool_use'), id: fc.string(), name: fc.string(), input: fc.jsonValue() }),
      fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.string(), content: fc.string() }),
    );
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.array(block) });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), fc.dictionary(fc.string(), fc.jsonValue()), (messages, more) => {
        const encoding = { model: 't', maxTokens: 9, thinkingCapable: true, quirks: defaultQuirks };
        const body = { ...more, model: 'm', max_tokens: 9, messages };
        for (const untranslatable of ['hints', 'refuse', 'drop'] as const) {
          rejectedFields(() => encodeChatRequest(decodeMessagesRequest(body, source), { ...encoding, untranslatable }));
        }
      }),
      { numRuns: isDeep ? 250 : 50 },
    );
  });
});

describe('a request of the chat-completions format', () => {
  const decode = (fields: object) =>
    decodeChatRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...fields }, 0);
  const inFields = (fields: object) => rejectedFields(() => translate(decode(fields), rules));

  test.each<[object, string | undefined]>([
    [{}, undefined],
    [{ n: 1 }, undefined],
    [{ n: 2 }, 'n'],
    [{ logprobs: false }, undefined],
    [{ logprobs: true, top_logprobs: 2 }, 'logprobs'],
    [{ logit_bias: {} }, undefined],
    [{ logit_bias: { 5: 1 } }, 'logit_bias'],
    [{ seed: 5 }, undefined],
    [{ seed: null }, undefined],
    [{ modalities: ['text'] }, undefined],
    [{ modalities: ['text', 'audio'], audio: { voice: 'v' } }, 'audio and modalities'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [{ prediction: {}, verbosity: 'low', min_p: 0.1 }, undefined],
    [{ guided_json: {} }, 'guided_json'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema.schema'],
    [{ response_format: { type: 'json_object' } }, undefined],
    [
      {
        store: true,
        metadata: { a: 'b' },
        prompt_cache_key: 'k',
        safety_identifier: 's',
        service_tier: 'auto',
        stream_options: { include_usage: true },
        user: 'u',
        frequency_penalty: 1,
        presence_penalty: 1,
        parallel_tool_calls: false,
        top_k: 5,
        temperature: 0.5,
        reasoning_effort: 'low',
      },
      undefined,
    ],
  ])('with %j has untranslatable fields: %s', (fields, names) => {
    expect(inFields(fields)).toBe(names);
  });

  const at = 'messages[0].content[0]';
  test.each<[string, object, string | undefined]>([
    ['user', text('a'), undefined],
    ['user', { type: 'image_url', image_url: { url: 'https://x.example/a', detail: 'low' } }, undefined],
    ['user', { type: 'image_url', image_url: 'https://x.example/a' }, undefined],
    ['user', { type: 'image_url' }, at],
    ['user', { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }, undefined],
    ['user', { type: 'file', file: { file_id: 'f' } }, at],
    ['user', { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }, undefined],
    ['user', { type: 'video_url', video_url: { url: 'x' } }, at],
    ['assistant', { type: 'refusal', refusal: 'no' }, undefined],
    ['assistant', { type: 'thinking', thinking: [] }, at],
    ['system', { type: 'image_url', image_url: { url: 'x' } }, at],
  ])('in a %s message, part %j has untranslatable fields: %s', (role, part, names) => {
    expect(inFields({ messages: [{ role, content: [part] }] })).toBe(names);
  });

  test('is rejected for earlier answers with audio or a legacy function call', () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, audio: { id: 'a' } },
      { role: 'assistant', content: '', function_call: { name: 'f' }, audio: null },
    ];
    expect(inFields({ messages })).toBe('messages[1].audio and messages[2].function_call');
  });

  test('with an untranslatable field is rejected for a messages provider, and accepted for one of its own format', () => {
    const encoding = { model: 't', maxTokens: 9, thinkingCapable: false };
    const other = { ...encoding, maxOutputTokens: undefined, thinkingStyle: 'none' } as const;
    expect(rejectedFields(() => encodeMessagesRequest(decode({ n: 5 }), other))).toBe('n');
    expect(encodeChatRequest(decode({ n: 5 }), { ...encoding, quirks: defaultQuirks })).toContain('"n":5');
  });
});

describe('a legacy completion request', () => {
  const inFields = (fields: object) =>
    rejectedFields(() => translate(decodeCompletionRequest({ model: 'm', prompt: 'x', ...fields }, 0), rules));

  test.each<[object, string | undefined]>([
    [{}, undefined],
    [{ logprobs: 0 }, 'logprobs'],
    [{ n: 2 }, 'n'],
    [{ seed: 1, repeat_penalty: 1.1 }, undefined],
    [{ logit_bias: { 5: 1 } }, 'logit_bias'],
    [{ logit_bias: {}, user: 'u', echo: false }, undefined],
  ])('with %j has untranslatable fields: %s', (fields, names) => {
    expect(inFields(fields)).toBe(names);
  });
});

describe('the `untranslatable` setting of a model', () => {
  const request = decodeChatRequest(
    {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      seed: 5,
      min_p: 0.1,
      top_a: null,
      store: true,
      n: 2,
      web_search_options: {},
      temperature: 1.5,
    },
    0,
  );
  const { n: _, web_search_options: __, ...harmless } = request.wire.body;
  const hinting = { ...request, choices: 1, wire: { ...request.wire, body: harmless } };

  test('leaves out hints by default, and notes them in the record', () => {
    expect(translate(hinting, { temperatureMax: 1 })).toEqual({
      temperature: 1,
      notes: ['left out for a provider of another format: seed, min_p', 'temperature lowered to 1'],
    });
    expect(translate(hinting, { temperatureMax: 2 }).temperature).toBe(1.5);
    expect(rejectedFields(() => translate(request, { temperatureMax: 1 }))).toBe('web_search_options and n');
  });

  test('leaves out logprobs if the provider’s format has none, and notes it in the record', () => {
    const requestWith = (fields: object) => decodeResponsesRequest({ model: 'm', input: 'x', ...fields }, { bytes: 0 });
    const notes = (fields: object, hasLogprobs: boolean) =>
      translate(requestWith(fields), { temperatureMax: 2, hasLogprobs }).notes;
    const noteFor = (name: string) => [`left out for a provider of another format: ${name}`];
    expect(notes({ top_logprobs: 2 }, false)).toEqual(noteFor('top_logprobs'));
    expect(notes({ include: ['message.output_text.logprobs'] }, false)).toEqual(
      noteFor('include (message.output_text.logprobs)'),
    );
    expect(notes({ top_logprobs: 2 }, true)).toEqual([]);
    expect(notes({ top_logprobs: 0 }, false)).toEqual([]);
  });

  test('rejects hints too when set to refuse', () => {
    const strict = { untranslatable: 'refuse', temperatureMax: 1 } as const;
    expect(rejectedFields(() => translate(hinting, strict))).toBe('seed and min_p');
    const hot = { ...hinting, wire: { ...request.wire, body: { temperature: 1.5 } } };
    expect(rejectedFields(() => translate(hot, strict))).toMatch(/^temperature must be between 0 and 1 /);
  });

  test('leaves out all untranslatable fields when set to drop', () => {
    expect(translate(request, { untranslatable: 'drop', temperatureMax: 1 })).toEqual({
      temperature: 1,
      notes: [
        'left out for a provider of another format: web_search_options, n, seed, min_p',
        'temperature lowered to 1',
      ],
    });
  });

  test('keeps the note short for a request with 1,000 untranslatable parts', () => {
    const content = Array.from({ length: 1000 }, () => ({ type: 'video_url' }));
    const many = decodeChatRequest({ model: 'm', messages: [{ role: 'user', content }] }, 0);
    const { notes } = translate(many, { untranslatable: 'drop', temperatureMax: 1 });
    expect(notes[0]?.length).toBeLessThan(1000);
  });
});
