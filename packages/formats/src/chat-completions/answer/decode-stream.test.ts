import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { noMarkupRequest } from '../../markup/markup-request.ts';
import { chatStreamDecoder } from './decode-stream.ts';

type Chunk = object | string;

const payload = (chunk: Chunk): string => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk));
const decoder = () => chatStreamDecoder({ newId: () => 'made' });

/** All events of a stream, with one read for each chunk. */
function decode(...chunks: readonly Chunk[]): readonly StreamEvent[] {
  const one = decoder();
  return [...chunks.flatMap((chunk) => one.push([payload(chunk)])), ...one.end()];
}

const piece = (delta: unknown, more: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null, ...more }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const text = (text: string, choice = 0): StreamEvent => ({ type: 'text-delta', choice, text });
const reasoning = (text: string): StreamEvent => ({ type: 'reasoning-delta', choice: 0, text });
const stopped = (choice = 0): StreamEvent => ({ type: 'finish', choice, reason: 'stop', raw: 'stop' });

describe('text', () => {
  test('keeps the pieces of the provider, without the role and empty pieces', () => {
    expect(
      decode(
        piece({ role: 'assistant', content: '' }),
        piece({ content: 'a' }),
        piece({ content: 'b' }),
        stop,
        '[DONE]',
      ),
    ).toEqual([text('a'), text('b'), stopped()]);
  });

  test.each<[string, unknown]>([
    ['a role on every chunk', { role: 'assistant', content: 'a' }],
    [
      'everything else null',
      { role: null, content: 'a', reasoning_content: null, tool_calls: null, function_call: null, refusal: null },
    ],
    ['a refusal', { content: null, refusal: 'a' }],
    ['parts', { content: [{ type: 'text', text: 'a' }] }],
    [
      'several parts and strange ones',
      { content: [{ type: 'text', text: '' }, null, 5, { type: 'image' }, { type: 'text', text: 'a' }] },
    ],
  ])('is decoded from a delta with %s', (_, delta) => {
    expect(decode(piece(delta), stop)).toEqual([text('a'), stopped()]);
  });

  test('is decoded from a chunk that also has the finish', () => {
    expect(decode(piece({ content: 'a' }, { finish_reason: 'stop' }))).toEqual([text('a'), stopped()]);
  });

  test('is kept after a finish that comes on every chunk', () => {
    const finished = { finish_reason: 'stop' };
    expect(decode(piece({ content: 'a' }, finished), piece({ content: 'b' }, finished))).toEqual([
      text('a'),
      text('b'),
      stopped(),
    ]);
  });

  test('is decoded for several choices, in shared or separate chunks, with or without an index', () => {
    const both = {
      choices: [
        { index: 0, delta: { content: 'a' } },
        { index: 1, delta: { content: 'b' } },
      ],
    };
    const noIndex = { choices: [{ delta: { content: 'c' } }, { delta: { content: 'd' } }] };
    const apart = { choices: [{ index: 1, delta: { content: 'e' } }] };
    const ends = { choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' })) };
    expect(decode(both, noIndex, apart, ends)).toEqual([
      text('a', 0),
      text('b', 1),
      text('c', 0),
      text('d', 1),
      text('e', 1),
      stopped(0),
      stopped(1),
    ]);
  });

  test('is decoded from a complete message instead of a delta', () => {
    expect(decode({ choices: [{ message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] })).toEqual([
      text('a'),
      stopped(),
    ]);
  });
});

describe('reasoning', () => {
  test('is dropped from every chunk if the request disables it', () => {
    const unwanted = chatStreamDecoder({ newId: () => 'made', markup: { ...noMarkupRequest, dropsReasoning: true } });
    const chunks = ['a', 'b', 'c'].map((words) => payload(piece({ reasoning_content: words })));
    expect(chunks.flatMap((chunk) => unwanted.push([chunk]))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['reasoning_content', { reasoning_content: 'a' }],
    ['reasoning', { content: '', reasoning: 'a' }],
    ['both at once', { reasoning_content: 'a', reasoning: 'a' }],
    ['a thinking part', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] }],
    ['a thinking part of text', { content: [{ type: 'thinking', thinking: 'a' }] }],
  ])('is decoded from %s', (_, delta) => {
    expect(decode(piece(delta), stop)).toEqual([reasoning('a'), stopped()]);
  });

  test('is separated from the text by its tags', () => {
    const pieces = ['<th', 'ink>a', '</think>', '\n', 'b'].map((content) => piece({ content }));
    expect(decode(...pieces, stop)).toEqual([reasoning('a'), text('b'), stopped()]);
  });

  test('in its own field leaves tags in the text unchanged', () => {
    expect(decode(piece({ reasoning_content: 'a' }), piece({ content: '<think>b' }), stop)).toEqual([
      reasoning('a'),
      text('<think>b'),
      stopped(),
    ]);
  });

  test('is separated by a tag after an empty list of tool calls', () => {
    expect(decode(piece({ content: '', tool_calls: [] }), piece({ content: '<think>a</think>' }), stop)).toEqual([
      reasoning('a'),
      stopped(),
    ]);
  });
});

describe('tool calls', () => {
  const start: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'call_made', name: 'f' };
  const args: StreamEvent = { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{}' };

  test('are decoded from the legacy form', () => {
    const called = [{ name: 'f', arguments: '' }, { arguments: '{}' }].map((function_call) => piece({ function_call }));
    expect(decode(...called, piece({}, { finish_reason: 'function_call' }))).toEqual([
      start,
      args,
      { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'function_call' },
    ]);
  });

  test('come after text that was held back as a possible tag', () => {
    const call = piece({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] });
    const ended = { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'stop' };
    expect(decode(piece({ content: '<' }), call, stop)).toEqual([text('<'), start, args, ended]);
  });

  test('without a name are recorded as an anomaly', () => {
    const one = decoder();
    one.push([payload(piece({ tool_calls: [{ index: 0, id: 'a' }] })), payload(stop), '[DONE]']);
    expect(one.anomalies).toEqual(['tool call without a name']);
  });
});

describe('logprobs', () => {
  const record = (token: string) => ({ token, logprob: -1, bytes: null });
  const known = (token: string) => ({ ...record(token), alternatives: undefined });

  test('come with their text', () => {
    const logprobs = { content: [{ ...record('a'), top_logprobs: [record('b')] }], refusal: null };
    expect(decode(piece({ content: 'a' }, { logprobs }), stop)).toEqual([
      { ...text('a'), logprobs: [{ ...record('a'), alternatives: [record('b')] }] },
      stopped(),
    ]);
  });

  test('of reasoning and text are separate', () => {
    const logprobs = { content: [record('b')], reasoning_content: [record('a')] };
    expect(decode(piece({ reasoning_content: 'a', content: 'b' }, { logprobs }), stop)).toEqual([
      { ...reasoning('a'), logprobs: [known('a')] },
      { ...text('b'), logprobs: [known('b')] },
      stopped(),
    ]);
  });

  test('under content belong to the reasoning if the chunk has only reasoning', () => {
    expect(decode(piece({ reasoning_content: 'a' }, { logprobs: { content: [record('a')] } }), stop)).toEqual([
      { ...reasoning('a'), logprobs: [known('a')] },
      stopped(),
    ]);
  });

  test('of text that is held back come with it', () => {
    const held = ['<', 'b'].map((content) => piece({ content }, { logprobs: { content: [record(content)] } }));
    expect(decode(...held, stop)).toEqual([{ ...text('<b'), logprobs: [known('<'), known('b')] }, stopped()]);
  });

  test('of a token without text are kept', () => {
    expect(decode(piece({ content: '' }, { logprobs: { content: [record('')] } }), stop)).toEqual([
      { ...text(''), logprobs: [known('')] },
      stopped(),
    ]);
  });

  test.each([[null], [{}], [{ content: null }], [{ content: [] }], ['x'], [{ content: [null, 4] }]])(
    '%j are ignored',
    (logprobs) => {
      expect(decode(piece({ content: 'a' }, { logprobs }), stop)).toEqual([text('a'), stopped()]);
    },
  );

  test('with invalid values get default values', () => {
    const logprobs = { content: [{ token: 5, logprob: 'x', bytes: [1, 999] }] };
    expect(decode(piece({ content: 'a' }, { logprobs }), stop)[0]).toEqual({
      ...text('a'),
      logprobs: [{ token: '', logprob: -9999, bytes: null, alternatives: undefined }],
    });
  });
});

describe('the finish', () => {
  test.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['content_filter', 'content-filter'],
    ['SAFETY', 'content-filter'],
    ['model_context_window_exceeded', 'length'],
    ['something_new', 'other'],
  ])('%s is decoded as %s, and the raw word is kept', (raw, reason) => {
    expect(decode(piece({}, { finish_reason: raw }))).toEqual([{ type: 'finish', choice: 0, reason, raw }]);
  });

  test.each(['tool_calls', 'function_call', 'stop'])('%s is decoded as tool-calls only if there are calls', (raw) => {
    const call = piece({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] });
    const ended = { type: 'finish', choice: 0, reason: 'tool-calls', raw };
    expect(decode(call, piece({}, { finish_reason: raw }))).toContainEqual(ended);
    expect(decode(piece({ content: 'a' }), piece({}, { finish_reason: raw }))).toContainEqual({
      ...ended,
      reason: 'stop',
    });
  });

  test('that is empty counts as missing', () => {
    expect(() => decode(piece({ content: 'a' }, { finish_reason: '' }))).toThrow();
  });

  test.each(['error', 'insufficient_system_resource', 'network_error', 'abort', 'ERROR'])(
    '%s is an upstream failure, because the provider aborted the answer',
    (raw) => {
      expect(() => decode(piece({ content: 'a' }), piece({}, { finish_reason: raw }))).toThrow(
        expect.objectContaining({ case: 'upstream-failed' }),
      );
    },
  );

  test('is stop if it is missing before [DONE]', () => {
    expect(decode(piece({ content: 'a' }), '[DONE]')).toEqual([text('a'), stopped()]);
    expect(decode(piece({ content: 'a' }), ' [DONE]\n')).toEqual([text('a'), stopped()]);
  });

  test('is emitted at the end of the stream, even if other chunks come in between', () => {
    const one = decoder();
    expect(one.push([payload(stop), payload({ choices: [] })])).toEqual([]);
    expect(one.isDone).toBe(false);
    expect(one.push(['[DONE]', payload(piece({ content: 'ignored' }))])).toEqual([stopped()]);
    expect(one.isDone).toBe(true);
    expect(one.push([payload(stop)])).toEqual([]);
    expect(one.end()).toEqual([]);
  });
});

describe('usage', () => {
  const counts = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
  const used = expect.objectContaining({
    type: 'usage',
    usage: expect.objectContaining({ promptTokens: 3, completionTokens: 5 }),
  });

  test.each<[string, readonly Chunk[]]>([
    ['on a chunk of its own', [stop, { choices: [], usage: counts }]],
    ['on a chunk without choices', [stop, { usage: counts }]],
    ['on the finish chunk', [{ ...stop, usage: counts }]],
    ['on the choice', [{ choices: [{ delta: {}, finish_reason: 'stop', usage: counts }] }]],
    ['under x_groq', [{ ...stop, x_groq: { usage: counts } }]],
    [
      'on every chunk, of which the last one counts',
      [
        { ...piece({}), usage: { ...counts, completion_tokens: 1 } },
        { ...stop, usage: counts },
      ],
    ],
    [
      'once, followed by empty usage objects',
      [
        { ...stop, usage: counts },
        { choices: [], usage: null },
        { choices: [], usage: {} },
      ],
    ],
  ])('is decoded: %s', (_, chunks) => {
    expect(decode(...chunks, '[DONE]')).toEqual([stopped(), used]);
  });

  test('that is missing is not invented', () => {
    expect(decode({ ...stop, usage: null }, '[DONE]')).toEqual([stopped()]);
  });

  test('that had to be corrected is recorded as an anomaly', () => {
    const one = decoder();
    one.push([payload({ ...stop, usage: { prompt_tokens: -1, completion_tokens: 5 } }), '[DONE]']);
    expect(one.anomalies).toEqual(['usage.prompt_tokens']);
  });
});

describe('the end of a stream', () => {
  test.each<[string, readonly Chunk[]]>([
    ['with [DONE]', [piece({ content: 'a' }), stop, '[DONE]']],
    ['with [DONE] between blanks', [piece({ content: 'a' }), stop, ' [DONE] ']],
    ['without [DONE], after the finish', [piece({ content: 'a' }), stop]],
  ])('%s is a success', (_, chunks) => {
    expect(decode(...chunks)).toEqual([text('a'), stopped()]);
  });

  test.each<[string, readonly Chunk[]]>([
    ['without any chunk', []],
    ['after only [DONE]', ['[DONE]']],
    ['after only usage', [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, '[DONE]']],
    ['before any finish', [piece({ content: 'a' })]],
    ['before the finish of one choice', [{ choices: [{ index: 1, delta: { content: 'a' } }] }, stop]],
  ])('%s is a failure', (_, chunks) => {
    expect(() => decode(...chunks)).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
  });
});

describe('the decoder', () => {
  test.each([['{"choices":'], ['hello'], ['null'], ['[]'], ['5']])('drops %s and records an anomaly', (malformed) => {
    const one = decoder();
    expect([...one.push([malformed, payload(piece({ content: 'a' })), payload(stop)]), ...one.end()]).toEqual([
      text('a'),
      stopped(),
      { type: 'anomaly', what: 'an event that is not a JSON object' },
    ]);
  });

  test('tolerates ten malformed events and fails at the eleventh', () => {
    const ten = Array.from({ length: 10 }, () => 'x');
    const anomaly = { type: 'anomaly', what: 'an event that is not a JSON object' };
    expect(decode(...ten, stop)).toEqual([stopped(), anomaly]);
    expect(() => decode(...ten, stop, 'x')).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
  });

  test.each<[Chunk]>([[''], ['  '], [{}], [{ choices: null }], [{ choices: [null, 5, 'x'] }], [{ type: 'ping' }]])(
    'emits nothing for %j',
    (chunk) => {
      expect(decode(chunk, stop)).toEqual([stopped()]);
    },
  );

  test('tolerates invalid values in every field of a chunk', () => {
    const invalid = {
      choices: [
        {
          index: -1,
          delta: { content: 5, reasoning: {}, tool_calls: 'x', function_call: 3 },
          logprobs: 7,
          finish_reason: {},
        },
      ],
      usage: [],
    };
    expect(decode(invalid, stop)).toEqual([stopped()]);
  });
});

describe('an error instead of an answer', () => {
  const failed = { case: 'upstream-failed', code: undefined, detail: undefined };
  const rejected = (code?: string) => ({ case: 'upstream-rejected', code, detail: undefined });

  test.each<[Chunk, object]>([
    [{ error: { message: 'boom', type: 'server_error', code: null } }, failed],
    [{ error: 'boom' }, failed],
    [{ error: { code: 502, message: 'boom' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] }, failed],
    [{ error: { code: 429, type: 'invalid_request_error' } }, failed],
    [{ choices: [{ delta: {}, error: { code: 500, message: 'boom' } }] }, failed],
    [{ ...stop, x_groq: { error: 'over capacity' } }, failed],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'boom' } }, failed],
    [{ error: { code: 400, message: 'too long' } }, rejected()],
    [{ error: { code: '422', message: 'too long' } }, rejected()],
    [{ error: { code: 'context_length_exceeded', message: 'too long' } }, rejected('context_length_exceeded')],
    [
      { error: { type: 'invalid_request_error', code: 'a sentence that says too much', message: 'x' } },
      rejected('invalid_request_error'),
    ],
    [{ object: 'error', message: 'bad', type: 'BadRequestError', param: null, code: 400 }, rejected('BadRequestError')],
  ])('is decoded: %j', (chunk, expected) => {
    expect(() => decode(chunk)).toThrow(expect.objectContaining(expected));
  });

  test.each([[null], [''], [false]])('is absent if the field is %j', (error) => {
    expect(decode({ ...piece({ content: 'a' }), error }, { ...stop, error })).toEqual([text('a'), stopped()]);
  });

  test('keeps the first 1,000 characters of the provider’s text, for the log only', () => {
    const boom = { error: { message: `secret ${'x'.repeat(5000)}` } };
    const error = catching(() => decode(boom));
    expect(error.message).not.toContain('secret');
    expect(String(error.cause)).toContain('secret');
    expect(String(error.cause).length).toBeLessThan(1100);
  });

  test('is thrown after the events before it in the same read', () => {
    const one = decoder();
    expect(one.push([payload(piece({ content: 'a' })), payload({ error: 'boom' }), payload(stop)])).toEqual([
      text('a'),
    ]);
    expect(one.isDone).toBe(true);
    expect(() => one.push([])).toThrow(expect.objectContaining(failed));
    expect(() => one.end()).toThrow(expect.objectContaining(failed));
  });
});

function catching(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
}

test.runIf(isDeep)('a complete answer may hold more events than a function accepts arguments', () => {
  const count = 70_000;
  const content = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'.repeat(count);
  const markup = { ...noMarkupRequest, tools: [{ name: 'f', description: undefined, parameters: undefined }] };
  const one = chatStreamDecoder({ newId: () => 'made', markup });
  const body = { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] };
  const events = one.push([JSON.stringify(body), '[DONE]']);
  expect(events.filter(({ type }) => type === 'tool-call-start').length).toBe(count);
});
