import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '../../chat/chat-request.ts';
import type { Message } from '../../chat/message.ts';
import { decodeChatRequest } from '../../chat-completions/request/decode-request.ts';
import { decodeCompletionRequest } from '../../chat-completions/request/decode-completion-request.ts';
import { decodeCountTokensRequest, decodeMessagesRequest } from './decode-request.ts';
import { encodeCountTokens, encodeMessagesRequest, type MessagesRequestEncoding } from './encode-request.ts';

const plain: MessagesRequestEncoding = {
  model: 'theirs',
  maxTokens: undefined,
  maxOutputTokens: undefined,
  thinkingCapable: false,
  thinkingStyle: 'budget',
};

describe('a request for a provider of the same format', () => {
  const text = `{ "stream":true, "max_tokens" : 900,
    "unknown": [1.0, 1e2, {"model":"nested"}], "model":"ours",
    "messages":[{"role":"user","content":[{"type":"hologram","model":"m","\\u0061":"\\ud83d\\ude00"},{"type":"text","text":"ünï"}]}] }`;
  const decoded = () => decodeMessagesRequest(JSON.parse(text), { text, bytes: text.length, headers: {} });
  const hash = (words: string) => createHash('sha256').update(words).digest('hex');

  test('is the client’s text with only the model replaced', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 900 });
    expect(hash(sent)).toBe(hash(text.replace('"ours"', '"theirs"')));
  });

  test('gets a lowered cap', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 500 });
    expect(sent).toBe(text.replace('"ours"', '"theirs"').replace('900', '500'));
  });

  test('gets no default for thinking', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 900, thinkingCapable: true });
    expect(sent).toBe(text.replace('"ours"', '"theirs"'));
  });

  test('has the same text for counting tokens', () => {
    const own = '{"messages":[{"role":"user","content":"x"}],"model":"ours"}';
    const request = decodeCountTokensRequest(JSON.parse(own), { text: own, bytes: own.length, headers: {} });
    expect(encodeCountTokens(request, { model: 'theirs' })).toBe(own.replace('ours', 'theirs'));
  });
});

const hello = [{ role: 'user', content: 'hello' }];
const decoded = (fields: object) => decodeChatRequest({ model: 'ours', messages: hello, ...fields }, 0);
const encode = (request: ChatRequest, settings: Partial<MessagesRequestEncoding> = {}) =>
  JSON.parse(encodeMessagesRequest(request, { ...plain, ...settings }));
const sent = (fields: object, settings?: Partial<MessagesRequestEncoding>) => encode(decoded(fields), settings);
const encodedMessages = (messages: readonly Message[]) => encode({ ...decoded({}), messages });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const part = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string, args = '{}') => ({ type: 'tool-call' as const, id, name: 'f', arguments: args });
const result = (toolCallId: string, words = 'done'): Message => ({
  role: 'tool',
  toolCallId,
  content: [part(words)],
  isError: false,
});
const question: Message = { role: 'user', content: [part('hello')] };

test('a simple chat request is encoded completely', () => {
  expect(encodeMessagesRequest(decoded({ stream: false }), { ...plain, maxTokens: 5 })).toBe(
    '{"model":"theirs","max_tokens":5,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}',
  );
});

test('every field of a chat request is encoded', () => {
  const tools = [
    { type: 'function', function: { name: 'f', description: 'does', parameters: { a: 1 }, strict: true } },
  ];
  const fields = {
    messages: [{ role: 'system', content: 'be brief' }, ...hello],
    tools,
    tool_choice: 'auto',
    stop: 'x',
    temperature: 0.5,
    top_p: 0.25,
    top_k: 3,
    user_id: 'u',
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { b: 1 } } },
    max_tokens: 7,
  };
  expect(sent(fields, { maxTokens: 7 })).toEqual({
    model: 'theirs',
    max_tokens: 7,
    stream: true,
    temperature: 0.5,
    top_p: 0.25,
    top_k: 3,
    stop_sequences: ['x'],
    output_config: { format: { type: 'json_schema', schema: { b: 1 } } },
    metadata: { user_id: 'u' },
    tool_choice: { type: 'auto' },
    tools: [{ name: 'f', description: 'does', input_schema: { type: 'object', a: 1 }, strict: true }],
    system: [text('be brief')],
    messages: [{ role: 'user', content: [text('hello')] }],
  });
});

test('the cap is the client’s, otherwise the model’s, otherwise a default', () => {
  expect(sent({}, { maxTokens: 5, maxOutputTokens: 9 }).max_tokens).toBe(5);
  expect(sent({}, { maxOutputTokens: 9 }).max_tokens).toBe(9);
  expect(sent({}).max_tokens).toBe(32_000);
});

test('a temperature above the format’s maximum is lowered', () => {
  expect(sent({ temperature: 1.5 })).toMatchObject({ temperature: 1 });
  expect(sent({ temperature: 0.3 })).toMatchObject({ temperature: 0.3 });
});

test('a request for any JSON becomes an instruction', () => {
  const { system } = sent({
    messages: [{ role: 'system', content: 'a' }, ...hello],
    response_format: { type: 'json_object' },
  });
  expect(system).toEqual([text('a'), text(expect.stringMatching(/valid JSON object/))]);
});

describe('tools', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];

  test.each<[object, object | undefined]>([
    [{}, undefined],
    [{ tool_choice: 'none' }, { type: 'none' }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    [{ tool_choice: 'auto' }, { type: 'auto' }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }, { type: 'tool', name: 'f' }],
    [{ parallel_tool_calls: true }, undefined],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
  ])('%j are encoded with the choice %j', (fields, choice) => {
    expect(sent({ tools, ...fields }).tool_choice).toEqual(choice);
  });

  test('are required for a tool choice', () => {
    expect(sent({ tool_choice: 'none', parallel_tool_calls: false }).tool_choice).toBeUndefined();
  });

  test('without parameters get the schema of an object', () => {
    expect(sent({ tools }).tools).toEqual([{ name: 'f', input_schema: { type: 'object' } }]);
  });
});

describe('the messages of a request', () => {
  test('are joined if adjacent and of one side, with results first', () => {
    const messages: Message[] = [
      question,
      { role: 'assistant', content: [part('a'), call('x')] },
      { role: 'assistant', content: [call('y')] },
      result('x'),
      { role: 'user', content: [part('b')] },
      result('y'),
      { role: 'user', content: [part('c')] },
    ];
    expect(encodedMessages(messages).messages).toEqual([
      { role: 'user', content: [text('hello')] },
      {
        role: 'assistant',
        content: [
          text('a'),
          { type: 'tool_use', id: 'x', name: 'f', input: {} },
          { type: 'tool_use', id: 'y', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'x', content: [text('done')] },
          { type: 'tool_result', tool_use_id: 'y', content: [text('done')] },
          text('b'),
          text('c'),
        ],
      },
    ]);
  });

  test('are left out if empty, and the messages around them are joined', () => {
    const messages: Message[] = [
      question,
      { role: 'assistant', content: [part(' \n')] },
      { role: 'user', content: [part(''), part('b')] },
      { role: 'assistant', content: [] },
    ];
    expect(encodedMessages(messages).messages).toEqual([{ role: 'user', content: [text('hello'), text('b')] }]);
  });

  test.each([
    ['a', [{ role: 'system', content: 'a' }]],
    ['(no content)', [{ role: 'user', content: ' ' }]],
  ])('always have user text to answer: %j', (words, messages) => {
    expect(sent({ messages })).toMatchObject({ messages: [{ role: 'user', content: [text(words)] }] });
  });

  test('begin with the first instructions, and keep later ones in the user turn at their position', () => {
    const messages: Message[] = [
      { role: 'system', content: [part('a')] },
      { role: 'system', content: [part('b')], name: 'ops' },
      question,
      { role: 'system', content: [part('c')] },
      { role: 'assistant', content: [part('d')] },
      { role: 'system', content: [part('e')], name: 'ops' },
    ];
    const body = encodedMessages(messages);
    expect(body.system).toEqual([text('a'), text('ops: b')]);
    expect(body.messages).toEqual([
      { role: 'user', content: [text('hello'), text('<system>\nc\n</system>')] },
      { role: 'assistant', content: [text('d')] },
      { role: 'user', content: [text('<system>\nops: e\n</system>')] },
    ]);
  });

  test('have a participant’s name as a prefix of the text', () => {
    const image = { type: 'image' as const, source: { url: 'https://x.example/a.png' } };
    expect(
      encodedMessages([{ role: 'user', name: 'Ann', content: [part('hi'), part('you')] }]).messages[0].content,
    ).toEqual([text('Ann: hi'), text('you')]);
    expect(encodedMessages([{ role: 'user', name: 'Ann', content: [image] }]).messages[0].content[0]).toEqual(
      text('Ann:'),
    );
  });

  test.each<[string, Message & { role: 'user' }, object]>([
    [
      'an image by URL',
      { role: 'user', content: [{ type: 'image', source: { url: 'https://x.example/a.png' } }] },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      'an image as data',
      { role: 'user', content: [{ type: 'image', source: { mediaType: 'image/png', data: 'AA==' }, cache: '1h' }] },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ],
    [
      'a document as data',
      {
        role: 'user',
        content: [
          { type: 'document', source: { mediaType: 'application/pdf', data: 'AA==' }, title: 't', cache: '5m' },
        ],
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
        title: 't',
        cache_control: { type: 'ephemeral' },
      },
    ],
    [
      'a text file',
      { role: 'user', content: [{ type: 'document', source: { mediaType: 'text/csv', data: 'w7w=' } }] },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ü' } },
    ],
    [
      'a text document',
      { role: 'user', content: [{ type: 'document', source: { text: 'words' } }] },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
    ],
  ])('may hold %s', (_, message, block) => {
    expect(encodedMessages([message]).messages[0].content).toEqual([block]);
    const inResult: Message = { role: 'tool', toolCallId: 'a', content: message.content, isError: true };
    expect(encodedMessages([inResult]).messages[0].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [block], is_error: true },
    ]);
  });

  test('are rejected if they hold audio, with the path of the part', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } };
    const messages = [...hello, { role: 'user', content: [{ type: 'text', text: 'a' }, audio] }];
    expect(() => sent({ messages })).toThrow(
      expect.objectContaining({
        case: 'invalid-request',
        detail: expect.stringMatching(/^messages\[1\]\.content\[1\] /),
      }),
    );
  });

  test('hold reasoning only with its signature', () => {
    const content = [
      { type: 'reasoning' as const, text: 'a', signature: 's' },
      { type: 'redacted-reasoning' as const, data: 'd' },
      { type: 'reasoning' as const, text: 'b' },
      part('c'),
    ];
    expect(encodedMessages([question, { role: 'assistant', content }]).messages[1].content).toEqual([
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      text('c'),
    ]);
  });

  test.each<[string, object]>([
    ['{"b":1,"a":{"c":[]}}', { b: 1, a: { c: [] } }],
    ['', {}],
    ['  ', {}],
    ['{"a":', { raw: '{"a":' }],
    ['[1]', { raw: '[1]' }],
    ['null', { raw: 'null' }],
  ])('hold the tool arguments %s as %j', (args, input) => {
    expect(
      encodedMessages([question, { role: 'assistant', content: [call('a', args)] }]).messages[1].content[0].input,
    ).toEqual(input);
  });

  test('hold tool ids of allowed characters, the same in a call and its result', () => {
    const messages: Message[] = [
      question,
      { role: 'assistant', content: [call('functions.f:0'), call('functions_f_0'), call('')] },
      result('functions.f:0'),
      result('functions_f_0'),
      result(''),
    ];
    const [, calls, results] = encodedMessages(messages).messages;
    const ids = ['functions_f_0', 'functions_f_0_2', 'call'];
    expect(calls.content.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(results.content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(ids);
  });

  test('keep only the last four of more cache markers', () => {
    const marked = (words: string) => ({ ...part(words), cache: '5m' as const });
    const messages: Message[] = [
      { role: 'system', content: [marked('a')] },
      { role: 'user', content: [marked('b'), marked('c')] },
      { role: 'assistant', content: [{ ...call('x'), cache: '1h' }] },
      { ...result('x'), role: 'tool', isError: false, toolCallId: 'x', content: [marked('d')], cache: '5m' },
    ];
    const body = encode({
      ...decoded({}),
      messages,
      tools: [{ name: 'f', description: undefined, parameters: undefined, cache: '5m' }],
    });
    const marks = (block: { cache_control?: object }) => block.cache_control !== undefined;
    expect([body.tools.some(marks), body.system.some(marks)]).toEqual([false, false]);
    const [user, assistant, results] = body.messages;
    expect(user.content.map(marks)).toEqual([false, true]);
    expect(assistant.content[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
    expect([marks(results.content[0]), marks(results.content[0].content[0])]).toEqual([true, true]);
  });
});

describe('thinking', () => {
  const on = { thinking: { type: 'enabled' } };
  const off = { thinking: { type: 'disabled' } };
  const capable = { thinkingCapable: true, maxTokens: 64_000 };
  const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
  const sentThinking = (fields: object, settings: Partial<MessagesRequestEncoding> = {}) => {
    const { thinking, output_config } = sent(fields, { ...capable, ...settings });
    return { ...(thinking && { thinking }), ...(output_config && { output_config }) };
  };

  test.each<[string, object, Partial<MessagesRequestEncoding>, object]>([
    ['nothing set', {}, {}, budget(16_000)],
    ['nothing set, a model that does not reason', {}, { thinkingCapable: false }, {}],
    ['highest effort', { reasoning_effort: 'max' }, {}, budget(32_000)],
    ['effort, a model that does not reason', { reasoning_effort: 'max' }, { thinkingCapable: false }, {}],
    ['on, a model that does not reason', on, { thinkingCapable: false }, budget(16_000)],
    ['off', off, {}, off],
    ['a budget of the client', { thinking: { type: 'enabled', budget_tokens: 5000 } }, {}, budget(5000)],
    ['a budget below the minimum', { thinking: { type: 'enabled', budget_tokens: 5 } }, {}, budget(1024)],
    [
      'a number above the cap',
      { thinking: { type: 'enabled', budget_tokens: 9000 } },
      { maxTokens: 8000 },
      budget(7999),
    ],
    ['a low cap leaves a quarter to the answer', {}, { maxTokens: 8000 }, budget(6000)],
    ['too low a cap, by default', {}, { maxTokens: 1200 }, {}],
    ['a low cap, requested by the client', on, { maxTokens: 1200 }, budget(1024)],
    ['too low a cap, requested by the client: the cap stays', on, { maxTokens: 1024 }, off],
    ['temperature set', { temperature: 0.5 }, {}, {}],
    ['top_p set', { top_p: 0.5 }, {}, {}],
    ['top_k set', { top_k: 5 }, {}, {}],
    ['sampling set to its defaults', { temperature: 1, top_p: 1 }, {}, budget(16_000)],
    ['temperature and thinking set: the provider validates', { temperature: 0.5, ...on }, {}, budget(16_000)],
    ['a prefilled answer', { messages: [...hello, { role: 'assistant', content: 'I' }] }, {}, {}],
    ['a provider without the setting', on, { thinkingStyle: 'none' }, {}],
    ['a provider without the setting, off', off, { thinkingStyle: 'none' }, {}],
  ])('in the budget style: %s', (_, fields, settings, expected) => {
    expect(sentThinking(fields, settings)).toEqual(expected);
  });

  test('is off by default with a forced tool call', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(sentThinking({ tools, tool_choice: 'required' })).toEqual({});
    expect(sentThinking({ tools, tool_choice: { type: 'function', function: { name: 'f' } } })).toEqual({});
    expect(sentThinking({ tools, tool_choice: 'auto' })).toEqual(budget(16_000));
  });

  const adaptive = { thinking: { type: 'adaptive' } };
  const effort = (word: string) => ({ output_config: { effort: word } });

  test.each<[string, object, Partial<MessagesRequestEncoding>, object]>([
    ['nothing set', {}, {}, { ...adaptive, ...effort('high') }],
    ['nothing set, a model that does not reason', {}, { thinkingCapable: false }, {}],
    ['highest effort', { reasoning_effort: 'max' }, {}, { ...adaptive, ...effort('max') }],
    ['effort, a model that does not reason', { reasoning_effort: 'low' }, { thinkingCapable: false }, effort('high')],
    ['a large budget', { thinking: { budget_tokens: 31_999 } }, {}, { ...adaptive, ...effort('max') }],
    ['a small budget', { thinking: { budget_tokens: 5000 } }, {}, { ...adaptive, ...effort('high') }],
    ['off', off, {}, off],
    ['temperature set', { temperature: 0 }, {}, {}],
    ['a tiny cap', {}, { maxTokens: 10 }, { ...adaptive, ...effort('high') }],
  ])('in the adaptive style: %s', (_, fields, settings, expected) => {
    expect(sentThinking(fields, { thinkingStyle: 'adaptive', ...settings })).toEqual(expected);
  });

  test('uses the request’s default effort', () => {
    const request: ChatRequest = { ...decoded({}), defaultEffort: 'max' };
    expect(encode(request, capable).thinking).toEqual(budget(32_000).thinking);
  });

  describe('within tool calls', () => {
    const signed = { type: 'reasoning' as const, text: 'hm', signature: 's' };
    const loop = (...content: readonly Parameters<typeof assistant>[0][]): Message[] => [
      question,
      ...content.flatMap((parts, at): Message[] => [assistant(parts, `c${at}`), result(`c${at}`)]),
    ];
    const assistant = (parts: Extract<Message, { role: 'assistant' }>['content'], id: string): Message => ({
      role: 'assistant',
      content: [...parts, call(id)],
    });
    const thinkingIn = (
      messages: readonly Message[],
      settings: Partial<MessagesRequestEncoding> = {},
      fields: object = {},
    ) => encode({ ...decoded(fields), messages }, { ...capable, ...settings }).thinking;

    test.each<[string, Message[], object]>([
      ['that began with signed reasoning is on', loop([signed]), budget(16_000).thinking],
      [
        'that began with redacted reasoning is on',
        loop([{ type: 'redacted-reasoning', data: 'd' }]),
        budget(16_000).thinking,
      ],
      ['whose later calls came without reasoning is on', loop([signed], []), budget(16_000).thinking],
      ['that another model began is off', loop([]), { type: 'disabled' }],
      ['that began with unsigned reasoning is off', loop([{ type: 'reasoning', text: 'x' }], []), { type: 'disabled' }],
      [
        'is off even if the user adds text',
        [...loop([]), { role: 'user', content: [part('hurry')] }],
        { type: 'disabled' },
      ],
      [
        'is on again after they have ended',
        [...loop([]), { role: 'assistant', content: [part('so')] }, question],
        budget(16_000).thinking,
      ],
    ])('%s', (_, messages, thinking) => {
      expect(thinkingIn(messages)).toEqual(thinking);
    });

    test('is off even if requested, because the provider would reject the request', () => {
      expect(thinkingIn(loop([]), {}, on)).toEqual({ type: 'disabled' });
    });

    test('is on in the adaptive style, which accepts such messages', () => {
      expect(thinkingIn(loop([]), { thinkingStyle: 'adaptive' })).toEqual({ type: 'adaptive' });
    });
  });
});

describe('a legacy prompt', () => {
  const prompt = (fields: object) =>
    encode(decodeCompletionRequest({ model: 'ours', prompt: 'Once', max_tokens: 9, ...fields }, 0), { maxTokens: 9 });

  test('becomes the user message', () => {
    expect(prompt({ stop: ['x'], echo: false, best_of: 1, suffix: '' })).toEqual({
      model: 'theirs',
      max_tokens: 9,
      stream: true,
      stop_sequences: ['x'],
      messages: [{ role: 'user', content: [text('Once')] }],
    });
    expect(prompt({ prompt: '' })).toMatchObject({ messages: [{ role: 'user', content: [text('(no content)')] }] });
  });

  test.each([
    ['unsupported_suffix', { suffix: 'end' }],
    ['unsupported_echo', { echo: true }],
    ['unsupported_best_of', { best_of: 2 }],
    ['unsupported_prompt', { prompt: ['a', 'b'] }],
  ])('is rejected with %s for %j', (code, fields) => {
    expect(() => prompt(fields)).toThrow(expect.objectContaining({ case: 'upstream-rejected', code }));
  });
});

test('a token-counting request of another format sends only the prompt', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  expect(
    JSON.parse(encodeCountTokens(decoded({ tools, temperature: 0.5, max_tokens: 5 }), { model: 'theirs' })),
  ).toEqual({
    model: 'theirs',
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: [text('hello')] }],
  });
});
