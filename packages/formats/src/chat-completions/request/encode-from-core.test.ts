import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '../../chat/chat-request.ts';
import type { AssistantPart, Message, UserPart } from '../../chat/message.ts';
import { decodeMessagesRequest } from '../../messages/request/decode-request.ts';
import { decodeResponsesRequest } from '../../responses/request/decode-request.ts';
import { encodeChatRequest } from './encode-request.ts';
import { defaultQuirks, type ResolvedQuirks } from '../quirks.ts';

const source = { text: '', bytes: 0, headers: {} };
const decoded = (fields: object) =>
  decodeMessagesRequest(
    { model: 'ours', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }], ...fields },
    source,
  );

interface EncodeOptions {
  readonly quirks?: Partial<ResolvedQuirks>;
  readonly thinkingCapable?: boolean;
}

function encode(request: ChatRequest, { quirks, thinkingCapable = false }: EncodeOptions = {}) {
  const options = { model: 'theirs', maxTokens: request.maxTokens, thinkingCapable };
  return JSON.parse(encodeChatRequest(request, { ...options, quirks: { ...defaultQuirks, ...quirks } }));
}

/** The encoded fields of a request, without those that are always sent. */
const sent = (fields: object, settings?: EncodeOptions) => {
  const {
    model: _model,
    messages: _messages,
    stream: _s,
    stream_options: _o,
    max_tokens: _m,
    ...rest
  } = encode(decoded(fields), settings);
  return rest;
};
const encodedMessages = (messages: readonly Message[], settings?: EncodeOptions) =>
  encode({ ...decoded({}), messages }, settings).messages;

const text = (value: string) => ({ type: 'text' as const, text: value });
const image: UserPart = { type: 'image', source: { url: 'https://x.example/a.png' } };
const imageUrl = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
const result = (toolCallId: string, content: readonly UserPart[], isError = false): Message => ({
  role: 'tool',
  toolCallId,
  content,
  isError,
});

test('a simple request is encoded completely', () => {
  const options = { model: 'theirs', maxTokens: 9, thinkingCapable: false, quirks: defaultQuirks };
  expect(encodeChatRequest(decoded({ system: 'be brief' }), options)).toBe(
    '{"model":"theirs","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}',
  );
});

const tools = [{ name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }];
const ownTools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];

test.each<[object, object]>([
  [
    { temperature: 0.5, top_p: 0.25, top_k: 3 },
    { temperature: 0.5, top_p: 0.25, top_k: 3 },
  ],
  [{ stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
  [{ tools }, { tools: ownTools }],
  [
    { tools, tool_choice: { type: 'any' } },
    { tools: ownTools, tool_choice: 'required' },
  ],
  [
    { tools, tool_choice: { type: 'none' } },
    { tools: ownTools, tool_choice: 'none' },
  ],
  [
    { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    { tools: ownTools, tool_choice: 'auto', parallel_tool_calls: false },
  ],
  [{ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, {}],
  [
    { output_config: { format: { type: 'json_schema', schema: { a: 1 } } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { a: 1 } } } },
  ],
  [{ service_tier: 'auto', context_management: {}, cache_control: { type: 'ephemeral' } }, {}],
])('%j is encoded as %j', (fields, expected) => {
  expect(sent(fields)).toEqual(expected);
});

test.each([
  [{ top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
  [{ include: ['message.output_text.logprobs'] }, { logprobs: true }],
  [{ top_logprobs: 0 }, {}],
])('a request of the responses format for logprobs is encoded as one for logprobs: %j', (fields, expected) => {
  const request = decodeResponsesRequest({ model: 'ours', input: 'hello', ...fields }, { bytes: 0 });
  const { logprobs, top_logprobs } = encode(request);
  expect({ logprobs, top_logprobs }).toEqual({ logprobs: undefined, top_logprobs: undefined, ...expected });
});

describe('the end-user label', () => {
  const label = (user_id: string, userField: ResolvedQuirks['userField']) =>
    sent({ metadata: { user_id } }, { quirks: { userField } });

  test('is sent under the provider’s field name', () => {
    expect(label('u-1', 'user_id')).toEqual({ user_id: 'u-1' });
    expect(label('u-1', 'user')).toEqual({ user: 'u-1' });
    expect(label('u-1', 'none')).toEqual({});
  });

  test.each([
    ['{"device":"a-1"}', '_device_a-1_'],
    ['x'.repeat(65), 'x'.repeat(64)],
  ])('%s becomes %s, which every provider accepts', (user_id, fitting) => {
    expect(label(user_id, 'user_id')).toEqual({ user_id: fitting });
    expect(label(user_id, 'user')).toEqual({ user: fitting });
  });
});

describe('messages', () => {
  test('text alone is encoded as one string in every role', () => {
    const two = [text('a'), text(''), text('b')];
    expect(
      encodedMessages([{ role: 'system', content: two }, { role: 'user', content: two }, result('x', two)]),
    ).toEqual([
      { role: 'system', content: 'a\n\nb' },
      { role: 'user', content: 'a\n\nb' },
      { role: 'tool', tool_call_id: 'x', content: 'a\n\nb' },
    ]);
  });

  test.each<[string, UserPart, object]>([
    ['an image by URL', image, imageUrl],
    [
      'an image as data',
      { type: 'image', source: { mediaType: 'image/png', data: 'AA==' }, cache: '5m' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ],
    [
      'a document',
      { type: 'document', source: { mediaType: 'application/pdf', data: 'AA==' }, title: 't.pdf' },
      { type: 'file', file: { filename: 't.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    ],
    [
      'a document without a title',
      { type: 'document', source: { mediaType: 'application/pdf', data: 'AA==' } },
      { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    ],
    [
      'audio',
      { type: 'audio', source: { mediaType: 'audio/wav', data: 'AA==' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    ],
  ])('%s is encoded as a part', (_, part, wire) => {
    expect(encodedMessages([{ role: 'user', content: [text('a'), part] }])).toEqual([
      { role: 'user', content: [text('a'), wire] },
    ]);
  });

  test('a text document is encoded as text after its title', () => {
    const document: UserPart = { type: 'document', source: { text: 'words' }, title: 'Notes' };
    expect(encodedMessages([{ role: 'user', content: [document, text('so?')] }])).toEqual([
      { role: 'user', content: 'Notes\n\nwords\n\nso?' },
    ]);
  });

  test('media of tool results go into the user message after the last result', () => {
    const shown = (id: string) => text(`From the result of the tool call ${id}:`);
    const results = [result('x', [image, text('a')]), result('y', [image])];
    const answers = [
      { role: 'tool', tool_call_id: 'x', content: 'a' },
      { role: 'tool', tool_call_id: 'y', content: '' },
    ];
    const media = [shown('x'), imageUrl, shown('y'), imageUrl];
    expect(encodedMessages(results)).toEqual([...answers, { role: 'user', content: media }]);
    expect(encodedMessages([...results, { role: 'user', content: [text('so?')] }])).toEqual([
      ...answers,
      { role: 'user', content: [...media, text('so?')] },
    ]);
    expect(encodedMessages([...results, { role: 'assistant', content: [text('ok')] }])).toEqual([
      ...answers,
      { role: 'user', content: media },
      { role: 'assistant', content: 'ok' },
    ]);
  });

  test('the result of a failed tool begins with Error', () => {
    expect(encodedMessages([result('x', [text('no such file')], true)])[0].content).toBe('Error: no such file');
  });

  const call: AssistantPart = { type: 'tool-call', id: 'c', name: 'f', arguments: '{"a":1}' };
  const wireCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  const signedReasoning: AssistantPart = { type: 'reasoning', text: 'hm', signature: 's' };

  test.each<[readonly AssistantPart[], object]>([
    [[text('a'), text('b')], { content: 'ab' }],
    [[call], { content: null, tool_calls: [wireCall] }],
    [[text('a'), call], { content: 'a', tool_calls: [wireCall] }],
    [
      [{ ...call, signature: 's' }],
      { content: null, tool_calls: [{ ...wireCall, extra_content: { google: { thought_signature: 's' } } }] },
    ],
    [[signedReasoning, { type: 'redacted-reasoning', data: 'd' }, text('a')], { content: 'a' }],
    [[signedReasoning], { content: '' }],
  ])('the assistant message %j is encoded', (content, expected) => {
    expect(encodedMessages([{ role: 'assistant', content }])).toEqual([{ role: 'assistant', ...expected }]);
  });

  test('reasoning is sent back only to providers that require it', () => {
    const content = [signedReasoning, text('a'), { ...signedReasoning, text: '!' }, call];
    expect(encodedMessages([{ role: 'assistant', content }], { quirks: { reasoningReplay: true } })).toEqual([
      { role: 'assistant', content: 'a', reasoning_content: 'hm!', tool_calls: [wireCall] },
    ]);
  });
});

describe('thinking', () => {
  const on = { thinking: { type: 'enabled', budget_tokens: 4000 } };
  const most = { thinking: { type: 'enabled', budget_tokens: 31_999 } };
  const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } };
  const off = { thinking: { type: 'disabled' } };
  const enabled = { type: 'enabled' };

  test.each<[ResolvedQuirks['thinkingStyle'], object, object, object, object]>([
    [
      'both',
      { thinking: enabled, reasoning_effort: 'high' },
      { thinking: enabled, reasoning_effort: 'max' },
      { thinking: enabled, reasoning_effort: 'max' },
      off,
    ],
    ['thinking', { thinking: enabled }, { thinking: enabled }, { thinking: enabled }, off],
    [
      'reasoning_effort',
      { reasoning_effort: 'high' },
      { reasoning_effort: 'max' },
      { reasoning_effort: 'max' },
      { reasoning_effort: 'none' },
    ],
    [
      'enable_thinking',
      { enable_thinking: true, thinking_budget: 4000 },
      { enable_thinking: true, thinking_budget: 31_999 },
      { enable_thinking: true },
      { enable_thinking: false },
    ],
    [
      'reasoning',
      { reasoning: { enabled: true, max_tokens: 4000 } },
      { reasoning: { enabled: true, max_tokens: 31_999 } },
      { reasoning: { enabled: true, effort: 'max' } },
      { reasoning: { enabled: false } },
    ],
    ['none', {}, {}, {}, {}],
  ])('is encoded in the style %s', (thinkingStyle, byNumber, byLargeNumber, byEffort, whenOff) => {
    const settings = { thinkingCapable: true, quirks: { thinkingStyle } };
    expect(sent(on, settings)).toEqual(byNumber);
    expect(sent(most, settings)).toEqual(byLargeNumber);
    expect(sent(adaptive, settings)).toEqual(byEffort);
    expect(sent(off, settings)).toEqual(whenOff);
  });

  test('is not requested if a client of the messages format sets nothing', () => {
    expect(sent({}, { thinkingCapable: true })).toEqual({});
  });
});
