import { describe, expect, test } from 'vitest';
import { decodeCompletionRequest } from './decode-completion-request.ts';
import { decodeChatRequest } from './decode-request.ts';
import { encodeChatRequest } from './encode-request.ts';
import { defaultQuirks, type ResolvedQuirks } from '../quirks.ts';

interface EncodeOptions {
  readonly quirks?: Partial<ResolvedQuirks>;
  readonly maxTokens?: number;
  readonly thinkingCapable?: boolean;
}

/** The encoded text of a client's body. */
function encodedText(body: unknown, { quirks, maxTokens, thinkingCapable = false }: EncodeOptions = {}): string {
  const declared = { ...defaultQuirks, thinkingDefaults: true, ...quirks };
  const options = { model: 'theirs', maxTokens, thinkingCapable, quirks: declared };
  return encodeChatRequest(decodeChatRequest(body, 0), options);
}

const messages = [{ role: 'developer', content: 'hello' }];
const body = (fields: object = {}) => ({ model: 'ours', messages, ...fields });
const sent = (fields: object, settings?: EncodeOptions) => JSON.parse(encodedText(body(fields), settings));

/** The encoded fields, without those that are always sent. */
const sentFields = (fields: object, settings: EncodeOptions) => {
  const {
    model: _model,
    messages: _messages,
    stream: _stream,
    stream_options: _options,
    ...rest
  } = sent(fields, settings);
  return rest;
};

test('the encoder changes only the model and the stream fields of a body', () => {
  expect(encodedText({ model: 'ours', messages, temperature: 0.5 })).toBe(
    '{"model":"theirs","messages":[{"role":"developer","content":"hello"}],"temperature":0.5,"stream":true,"stream_options":{"include_usage":true}}',
  );
});

test('the encoder sends unlisted fields unchanged and in the client’s order', () => {
  const fields = {
    zebra: { b: [1, { c: null }] },
    stream: false,
    seed: null,
    model: 'ours',
    messages,
    apple: '\ud800',
  };
  expect(encodedText(fields)).toBe(
    `{"zebra":{"b":[1,{"c":null}]},"stream":true,"seed":null,"model":"theirs","messages":${JSON.stringify(messages)},"apple":"\\ud800","stream_options":{"include_usage":true}}`,
  );
});

test('the encoder sends a field named __proto__ like any other', () => {
  const text = encodedText(
    JSON.parse('{"model":"ours","messages":[{"role":"user","content":"x"}],"__proto__":{"polluted":1}}'),
  );
  expect(text).toContain('"__proto__":{"polluted":1}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('the encoder removes the penalties and listed fields that are null', () => {
  const fields = {
    frequency_penalty: 1,
    presence_penalty: null,
    temperature: null,
    tools: null,
    thinking: null,
    n: null,
  };
  expect(sent(fields)).toEqual({ model: 'theirs', messages, stream: true, stream_options: { include_usage: true } });
});

test.each<[string, object | undefined, boolean, object | undefined]>([
  ['is requested', undefined, true, { include_usage: true }],
  [
    'is requested even if the client does not request it',
    { include_usage: false, other: 1 },
    true,
    { other: 1, include_usage: true },
  ],
  ['is not requested if the provider does not support the option', { include_usage: true }, false, undefined],
  ['leaves the other options unchanged', { include_usage: true, other: 1 }, false, { other: 1 }],
])('usage %s', (_, stream_options, usageOption, expected) => {
  expect(sent({ stream_options }, { quirks: { usageOption } }).stream_options).toEqual(expected);
});

test.each<[object, EncodeOptions, object]>([
  [{ max_tokens: 9 }, { maxTokens: 5 }, { max_tokens: 5 }],
  [{ max_completion_tokens: 9 }, { maxTokens: 5 }, { max_tokens: 5 }],
  [
    { max_tokens: 9 },
    { maxTokens: 5, quirks: { maxTokensField: 'max_completion_tokens' } },
    { max_completion_tokens: 5 },
  ],
  [{}, { maxTokens: 5 }, { max_tokens: 5 }],
  [{ max_tokens: 9, max_completion_tokens: 9 }, {}, {}],
])('%j with %j caps the output as %j', (fields, settings, expected) => {
  expect(sentFields(fields, settings)).toEqual(expected);
});

test.each<[object, ResolvedQuirks['userField'], object]>([
  [{ user_id: 'u' }, 'user_id', { user_id: 'u' }],
  [{ user_id: 'u' }, 'user', { user: 'u' }],
  [{ user_id: 'u' }, 'none', {}],
  [{ user_id: 'u', user: 'mine' }, 'user', { user: 'mine' }],
  [{ user: 'mine' }, 'none', { user: 'mine' }],
])('%j for a provider with the user field %s is sent as %j', (fields, userField, expected) => {
  expect(sentFields(fields, { quirks: { userField } })).toEqual(expected);
});

describe('thinking', () => {
  const off = { thinking: { type: 'disabled' } };
  const on = { thinking: { type: 'enabled' } };
  const most = { reasoning_effort: 'xhigh' };

  test.each<[string, object, boolean, object]>([
    ['nothing set, a model that reasons', {}, true, { ...on, reasoning_effort: 'high' }],
    ['nothing set, a model that does not reason', {}, false, {}],
    ['off', off, true, off],
    ['off, a model that does not reason', off, false, off],
    ['on', on, true, { ...on, reasoning_effort: 'high' }],
    ['on, a model that does not reason', on, false, on],
    ['low effort, a model that does not reason', { reasoning_effort: 'low' }, false, { reasoning_effort: 'high' }],
    ['highest effort', most, true, { ...on, reasoning_effort: 'max' }],
    ['off with an effort', { ...off, ...most }, true, { ...off, reasoning_effort: 'max' }],
    [
      'an object with more than the type',
      { thinking: { budget_tokens: 5 } },
      false,
      { thinking: { budget_tokens: 5, type: 'enabled' } },
    ],
  ])('is sent in the contract’s fields: %s', (_, fields, thinkingCapable, expected) => {
    expect(sentFields(fields, { thinkingCapable })).toEqual(expected);
  });

  test.each<[ResolvedQuirks['thinkingStyle'], object, object, object, object]>([
    ['thinking', on, off, on, on],
    [
      'reasoning_effort',
      { reasoning_effort: 'high' },
      { reasoning_effort: 'none' },
      { reasoning_effort: 'ultra' },
      { reasoning_effort: 'high' },
    ],
    [
      'enable_thinking',
      { enable_thinking: true },
      { enable_thinking: false },
      { enable_thinking: true },
      { enable_thinking: true },
    ],
    [
      'chat_template_kwargs',
      { chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'high' } },
      { chat_template_kwargs: { enable_thinking: false, thinking: false } },
      { chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'ultra' } },
      { chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'high' } },
    ],
    [
      'reasoning',
      { reasoning: { enabled: true, effort: 'high' } },
      { reasoning: { enabled: false } },
      { reasoning: { enabled: true, effort: 'ultra' } },
      { reasoning: { enabled: true, effort: 'high' } },
    ],
    ['none', {}, {}, {}, {}],
  ])('is sent in the style %s', (thinkingStyle, byDefault, whenOff, atMost, whenOn) => {
    const settings = { thinkingCapable: true, quirks: { thinkingStyle, effortMax: 'ultra' } };
    expect(sentFields({}, settings)).toEqual(byDefault);
    expect(sentFields(off, settings)).toEqual(whenOff);
    expect(sentFields(most, settings)).toEqual(atMost);
    expect(sentFields(on, settings)).toEqual(whenOn);
    expect(sentFields({}, { ...settings, thinkingCapable: false })).toEqual({});
  });

  test('keeps a provider-specific field that the client set', () => {
    const settings = (thinkingStyle: ResolvedQuirks['thinkingStyle']) => ({
      thinkingCapable: true,
      quirks: { thinkingStyle },
    });
    expect(sentFields({ enable_thinking: false }, settings('enable_thinking'))).toEqual({ enable_thinking: false });
    expect(sentFields({ reasoning: { max_tokens: 5 } }, settings('reasoning'))).toEqual({
      reasoning: { max_tokens: 5 },
    });
    expect(
      sentFields({ chat_template_kwargs: { enable_thinking: false, x: 1 } }, settings('chat_template_kwargs')),
    ).toEqual({
      chat_template_kwargs: { enable_thinking: false, thinking: true, reasoning_effort: 'high', x: 1 },
    });
  });

  test('uses the request’s default effort instead of the contract’s', () => {
    const quirks = { ...defaultQuirks, thinkingDefaults: true };
    const options = { model: 'theirs', maxTokens: undefined, thinkingCapable: true, quirks };
    const effort = (fields: object) =>
      JSON.parse(encodeChatRequest({ ...decodeChatRequest(body(fields), 0), defaultEffort: 'max' }, options))
        .reasoning_effort;
    expect([effort({}), effort({ reasoning_effort: 'low' })]).toEqual(['max', 'high']);
  });
});

describe('a legacy prompt for a provider without the legacy endpoint', () => {
  const encode = (fields: object, settings: EncodeOptions = {}) => {
    const request = decodeCompletionRequest({ model: 'ours', prompt: 'Once', ...fields }, 0);
    const options = {
      model: 'theirs',
      maxTokens: settings.maxTokens,
      thinkingCapable: settings.thinkingCapable ?? false,
      quirks: { ...defaultQuirks, ...settings.quirks },
    };
    return JSON.parse(encodeChatRequest(request, options));
  };
  const always = {
    model: 'theirs',
    messages: [{ role: 'user', content: 'Once' }],
    stream: true,
    stream_options: { include_usage: true },
  };

  test('becomes one user message and keeps the shared fields', () => {
    const shared = { temperature: 0.5, top_p: 0.5, stop: ['x'], n: 2, seed: 4, user: 'u', logit_bias: {} };
    const own = { suffix: '', echo: false, best_of: 1, presence_penalty: 1 };
    expect(encode({ ...shared, ...own, max_tokens: 9 }, { maxTokens: 9 })).toEqual({
      ...always,
      ...shared,
      max_tokens: 9,
    });
    expect(encode({ prompt: ['Once'] })).toEqual(always);
  });

  test('requests logprobs in the chat form', () => {
    expect(encode({ logprobs: 3 })).toEqual({ ...always, logprobs: true, top_logprobs: 3 });
    expect(encode({ logprobs: 0 })).toEqual({ ...always, logprobs: true, top_logprobs: 0 });
    expect(encode({ logprobs: null })).toEqual(always);
  });

  test('keeps its thinking setting', () => {
    expect(encode({ thinking: { type: 'disabled' } }, { thinkingCapable: true })).toEqual({
      ...always,
      thinking: { type: 'disabled' },
    });
  });

  test.each([
    ['unsupported_suffix', { suffix: 'end' }],
    ['unsupported_echo', { echo: true }],
    ['unsupported_best_of', { best_of: 2 }],
    ['unsupported_prompt', { prompt: ['a', 'b'] }],
    ['unsupported_prompt', { prompt: [1, 2] }],
    ['unsupported_prompt', { prompt: [[1, 2]] }],
  ])('is rejected with %s for %j', (code, fields) => {
    expect(() => encode(fields)).toThrow(
      expect.objectContaining({ case: 'upstream-rejected', code, detail: undefined }),
    );
  });
});
