import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectGatewayHeaders } from '../../expectations.ts';
import { answer, chunk, finish, sse, usage } from '../../fakes/fake-provider.ts';
import { joined, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test('the stream has the order and the shape of the contract', async () => {
  const reply = await gateway.chat({});
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expectGatewayHeaders(reply);
  const [first] = reply.chunks;
  const head = {
    id: expect.stringMatching(/./),
    object: 'chat.completion.chunk',
    created: expect.any(Number),
    model: 'plain',
    system_fingerprint: null,
  };
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    usage: null,
  });
  expect(reply.chunks).toEqual([
    piece({ role: 'assistant', content: '' }),
    piece({ content: 'Hello' }),
    piece({ content: ' there,' }),
    piece({ content: ' friend' }),
    piece({}, 'stop'),
    { ...head, choices: [], usage: expect.any(Object) },
  ]);
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(new Set(reply.chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
  expect(Math.abs(first.created - Date.now() / 1000)).toBeLessThan(60);
});

test('the usage chunk has every field, quirks included', async () => {
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: 'hi' }),
      finish('stop'),
      usage(100, 20, {
        prompt_tokens_details: { cached_tokens: 40, audio_tokens: 3, image_tokens: 7 },
        completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 2 },
      }),
      '[DONE]',
    ]),
  );
  const reply = await gateway.chat({ model: 'other' });
  expect(reply.chunks.at(-1).usage).toEqual({
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40, text_tokens: 90, audio_tokens: 3, image_tokens: 7 },
    completion_tokens_details: { text_tokens: 13, audio_tokens: 2, reasoning_tokens: 5 },
    input_tokens: 100,
    output_tokens: 0,
    upstream_cache_creation_5_m_tokens: 0,
    upstream_cache_creation_1_h_tokens: 0,
    usage_semantic: 'openai',
    usage_source: 'fake',
  });
});

test.each([[true], [false], [null], [undefined]])('a request with stream: %s gets the same stream', async (stream) => {
  const reply = await gateway.chat({ stream });
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(joined(reply)).toBe('Hello there, friend');
  expect(reply.frames.at(-1)).toBe('[DONE]');
});

test.each([[undefined], [{ include_usage: true }], [{ include_usage: false }]])(
  'with stream_options %j there is exactly one usage chunk',
  async (stream_options) => {
    const reply = await gateway.chat({ stream: true, stream_options });
    expect(reply.chunks.filter((chunk) => chunk.usage !== null)).toHaveLength(1);
    expect(reply.chunks.at(-1).choices).toEqual([]);
  },
);

test('a request for an alias gets the catalog id', async () => {
  const reply = await gateway.chat({ model: 'plain-latest' });
  expect(new Set(reply.chunks.map(({ model }) => model))).toEqual(new Set(['plain']));
});

test('text of a model never breaks the framing', async () => {
  const hostile = 'data: [DONE]\n\ndata: {"error":1}\r\n\r\n: x\n\u2028\u0000"\\ 😀';
  gateway.provider.respond('other', answer(hostile.replace(/\s+/g, (space) => space)));
  const reply = await gateway.chat({ model: 'other' });
  expect(joined(reply)).toBe(hostile);
  expect(reply.frames.filter((frame) => frame === '[DONE]')).toHaveLength(1);
});

test('reasoning is separate from the content', async () => {
  gateway.provider.respond(
    'thinker',
    sse([
      chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
      chunk({ reasoning_content: 'think.' }),
      chunk({ content: 'Done.' }),
      finish('stop'),
      usage(3, 9, { completion_tokens_details: { reasoning_tokens: 6 } }),
      '[DONE]',
    ]),
  );
  const reply = await gateway.chat({ model: 'thinker' });
  expect([joined(reply, 'reasoning_content'), joined(reply)]).toEqual(['Let me think.', 'Done.']);
});

test('several choices keep their own role, text and finish', async () => {
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: 'a' }, { index: 0 }),
      chunk({ role: 'assistant', content: 'b' }, { index: 1 }),
      finish('stop', 0),
      finish('length', 1),
      usage(3, 2),
      '[DONE]',
    ]),
  );
  const reply = await gateway.chat({ model: 'other', n: 2 });
  expect([joined(reply, 'content', 0), joined(reply, 'content', 1)]).toEqual(['a', 'b']);
  const choices = reply.chunks.flatMap((chunk) => chunk.choices);
  expect(choices.filter((choice) => choice.delta.role).map((choice) => choice.index)).toEqual([0, 1]);
  expect(choices.filter((choice) => choice.finish_reason)).toEqual([
    { index: 0, delta: {}, finish_reason: 'stop', logprobs: null },
    { index: 1, delta: {}, finish_reason: 'length', logprobs: null },
  ]);
});

test('tool calls arrive with id, type, name and arguments', async () => {
  const call = (more: object) => chunk({ tool_calls: [{ index: 0, ...more }] });
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: null }),
      call({ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
      call({ function: { arguments: '{"city":' } }),
      call({ function: { arguments: '"Oslo"}' } }),
      finish('tool_calls'),
      usage(3, 9),
      '[DONE]',
    ]),
  );
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  const reply = await gateway.chat({ model: 'other', tools });
  const deltas = reply.chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? []);
  expect(deltas[0]).toMatchObject({ index: 0, id: 'call_1', type: 'function', function: { name: 'weather' } });
  expect(deltas.map((delta) => delta.function.arguments ?? '').join('')).toBe('{"city":"Oslo"}');
  expect(reply.chunks.at(-2).choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'tool_calls', logprobs: null });
});

test('logprobs are present if requested, and null otherwise', async () => {
  const records = [
    {
      token: 'hi',
      logprob: -0.5,
      bytes: [104, 105],
      top_logprobs: [{ token: 'hi', logprob: -0.5, bytes: [104, 105] }],
    },
  ];
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: 'hi' }, { logprobs: { content: records } }),
      finish('stop'),
      usage(1, 1),
      '[DONE]',
    ]),
  );
  const withLogprobs = await gateway.chat({ model: 'other', logprobs: true, top_logprobs: 1 });
  const given = withLogprobs.chunks
    .flatMap(({ choices }) => choices)
    .flatMap(({ logprobs }) => logprobs?.content ?? []);
  expect(given).toEqual(records);
  const withoutLogprobs = await gateway.chat({ model: 'other' });
  expect(withoutLogprobs.chunks.flatMap(({ choices }) => choices).every(({ logprobs }) => logprobs === null)).toBe(
    true,
  );
});

test('fields of a delta that the contract does not list pass unchanged', async () => {
  const audio = { id: 'audio_1', data: 'UklGRg==', transcript: 'Hi', expires_at: 1_729_000_000 };
  const details = [{ type: 'reasoning.encrypted', data: 'sealed', id: 'rs_1', format: 'x', index: 0 }];
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: '', refusal: null, annotations: [] }),
      chunk({ reasoning: 'Hm', reasoning_details: details }),
      chunk({ content: 'Hi' }),
      chunk({ audio }),
      finish('stop'),
      usage(3, 2),
      '[DONE]',
    ]),
  );
  // The first request warms the fast path, which the second may take.
  for (const _request of [1, 2]) {
    const reply = await gateway.chat({ model: 'other' });
    const deltas = reply.chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta));
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      { reasoning_details: details },
      { content: 'Hi' },
      { audio },
      {},
    ]);
  }
});
