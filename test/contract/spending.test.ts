import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { expectAtRest } from '../at-rest.ts';
import { json, sse } from '../fakes/fake-provider.ts';
import { type GatewayReply, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'claude', kind: 'anthropic', base_url: provider.url, api_keys: ['sk-first', 'sk-second', 'sk-third'] },
      { name: 'elsewhere', kind: 'anthropic', base_url: provider.url, api_key: 'sk-upstream-canary' },
      {
        name: 'native',
        kind: 'openai',
        base_url: provider.url,
        api_key: 'sk-upstream-canary',
        quirks: { responses: true },
      },
    ],
    models: [
      ...(base['models'] as object[]),
      model('small', {
        routes: [
          { upstream: 'elsewhere', model: 'small-p' },
          { upstream: 'claude', model: 'small-p' },
        ],
        context_window: 10_000,
        max_output_tokens: 1000,
        price: { input: '1', output: '2' },
      }),
      model('big', {
        aliases: ['bigger'],
        routes: [{ upstream: 'claude', model: 'big-p' }],
        context_window: 10_000,
        max_output_tokens: 1000,
        price: { input: '10', output: '20' },
      }),
      model('apart', { routes: [{ upstream: 'native', model: 'apart-p' }] }),
      model('trusted', {
        routes: [{ upstream: 'claude' }],
        allowed_fields: ['billing_policy'],
      }),
      model('speaker', {
        routes: [{ upstream: 'native' }],
        max_output_tokens: 1000,
        price: {
          input: '1',
          output: '2',
          provider_tools: {
            image_generation: '0',
            image_generation_input_tokens: '0.003',
            image_generation_output_tokens: '0.03',
            web_search: '10',
          },
        },
      }),
      model('painter', { routes: [{ upstream: 'native', model: 'painter-p' }], price: { input: '5', output: '40' } }),
    ],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.05' },
    ],
  }));
});
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

const messages = [{ role: 'user', content: 'hello' }];
const content = [{ type: 'text', text: 'ok' }];
const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'big', max_uses: 2, max_tokens: 100 };

interface Counts {
  readonly type?: string;
  readonly model?: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

const part = (type: string, input: number, output: number, model: string | null = null): Counts => {
  return { type, model, input_tokens: input, output_tokens: output };
};

function message(iterations: readonly object[], [input, output]: readonly [number, number] = [100, 10]): object {
  const usage = { input_tokens: input, output_tokens: output, iterations };
  return { id: 'm', type: 'message', role: 'assistant', model: 'small-p', content, stop_reason: 'end_turn', usage };
}

/** The same answer as a stream; `early` are the iterations that its first event has. */
function stream(iterations: readonly object[], early: readonly object[] = []) {
  const start = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'small-p', stop_reason: null };
  const usage = { input_tokens: 100, output_tokens: 1, iterations: early };
  const events = [
    { type: 'message_start', message: { ...start, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10, iterations } },
    { type: 'message_stop' },
  ];
  return sse(events.map((event) => ({ raw: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })));
}

function send(more: object, key = gateway.key) {
  const body = { model: 'small', max_tokens: 100, messages, ...more };
  return gateway.post('/anthropic/v1/messages', body, { 'x-api-key': key });
}

async function detailOf(reply: GatewayReply) {
  expect(reply.status, reply.text).toBe(200);
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = () => requestDetail(gateway.gateway.store, id);
  await expect.poll(async () => (await detail())?.state, { message: 'the state of the request' }).toBe('recorded');
  return detail();
}

const bodyAtProvider = () => gateway.provider.calls.at(-1)?.body;

/** In nano-units, at 1 and 2 per million for the small model, and at ten times that for the big one. */
const cost = (small: readonly [number, number], big: readonly [number, number] = [0, 0]): bigint =>
  BigInt(small[0] + 2 * small[1] + 10 * (big[0] + 2 * big[1])) * 1000n;

const compacting = { context_management: { edits: [{ type: 'compact_20260112' }] } };
const fallback = { fallbacks: [{ model: 'big' }] };

const answers: readonly (readonly [string, object, readonly Counts[], bigint])[] = [
  ['one call', {}, [part('message', 100, 10)], cost([100, 10])],
  ['several calls', {}, [part('message', 100, 10), part('message', 130, 20)], cost([230, 30])],
  ['a summary', compacting, [part('compaction', 9000, 400), part('message', 100, 10)], cost([9100, 410])],
  [
    'an advice',
    { tools: [advisor] },
    [part('message', 100, 10), part('advisor_message', 200, 50, 'big-p')],
    cost([100, 10], [200, 50]),
  ],
  [
    'a replaced attempt',
    fallback,
    [part('message', 100, 5, 'small-p'), part('fallback_message', 100, 10, 'big-p')],
    cost([100, 5], [100, 10]),
  ],
  [
    'an attempt that was declined before any output',
    fallback,
    [part('message', 100, 0), part('fallback_message', 100, 10, 'big-p-20261001')],
    cost([0, 0], [100, 10]),
  ],
  ['a fallback whose name is unknown', fallback, [part('fallback_message', 100, 10, 'other')], cost([0, 0], [100, 10])],
  [
    'a call of an unknown kind, at the dearest price',
    fallback,
    [part('message', 100, 10), part('mystery', 10, 1)],
    cost([100, 10], [10, 1]),
  ],
];

describe('an answer is charged by the calls that its provider made', () => {
  test.each(answers)('%s', async (_name, more, iterations, charge) => {
    gateway.provider.respond('small-p', json(200, message(iterations)));
    const detail = await detailOf(await send(more));
    expect(detail?.cost).toBe(charge);
    const tokens = iterations.reduce((sum, each) => sum + each.input_tokens + each.output_tokens, 0);
    const isFreePart = (each: Counts) => each.type === 'message' && each.output_tokens === 0;
    const free = iterations.filter(isFreePart).reduce((sum, each) => sum + each.input_tokens, 0);
    expect((detail?.record?.promptTokens ?? 0) + (detail?.record?.completionTokens ?? 0)).toBe(tokens - free);
  });

  test.each(answers)('%s, in a stream', async (_name, more, iterations, charge) => {
    gateway.provider.respond('small-p', stream(iterations));
    expect((await detailOf(await send({ ...more, stream: true })))?.cost).toBe(charge);
  });

  test('a summary that only the first event of a stream reports', async () => {
    gateway.provider.respond(
      'small-p',
      stream([part('message', 100, 10)], [part('compaction', 9000, 400), part('message', 100, 1)]),
    );
    expect((await detailOf(await send({ ...compacting, stream: true })))?.cost).toBe(cost([9100, 410]));
  });

  test('the client gets the counts of its provider', async () => {
    const sent = message([part('compaction', 9000, 400), part('message', 100, 10)]);
    gateway.provider.respond('small-p', json(200, sent));
    expect((await send(compacting)).json).toEqual({ ...sent, model: 'small' });
  });

  test('the record lists the tokens by model', async () => {
    gateway.provider.respond(
      'small-p',
      json(200, message([part('message', 100, 10), part('advisor_message', 200, 50, 'big-p')])),
    );
    const detail = await detailOf(await send({ tools: [advisor] }));
    expect(detail?.costLines.map(({ kind, tokens, model: of }) => [kind, tokens, of])).toEqual([
      ['input', 100n, undefined],
      ['output', 10n, undefined],
      ['input', 200n, 'big'],
      ['output', 50n, 'big'],
    ]);
  });

  test('more than the hold is not charged, and the record notes it', async () => {
    gateway.provider.respond(
      'small-p',
      json(200, message([part('compaction', 1_000_000, 10), part('message', 100, 10)])),
    );
    const detail = await detailOf(await send({}));
    expect(detail?.cost).toBeLessThan(cost([10_000, 1000]));
    expect(detail?.record?.notes).toEqual([expect.stringContaining('its maximum was charged')]);
  });
});

describe('a model that a field names', () => {
  test.each([
    ['fallbacks[0].model', { fallbacks: [{ model: 'apart' }] }],
    ['fallbacks[0].model', { fallbacks: [{ model: 'big-p' }] }],
    ['fallbacks[1].model', { fallbacks: [{ model: 'big' }, { model: 'absent' }] }],
    ['tools[0].model', { tools: [{ ...advisor, model: 'absent' }] }],
  ])('is refused like `model`, and the error names %s', async (path, more) => {
    const calls = gateway.provider.calls.length;
    const reply = await send(more);
    expect([reply.status, reply.json.error.message]).toEqual([403, expect.stringContaining(path)]);
    expect(gateway.provider.calls).toHaveLength(calls);
  });

  test('is refused to a key that is limited to another one', async () => {
    const key = await gateway.newKey({ account: 'tester', models: ['small'] });
    expect((await send(fallback, key)).status).toBe(403);
    gateway.provider.respond('small-p', json(200, message([])));
    expect((await send({}, key)).status).toBe(200);
  });

  test('gets the name that it has at the provider, at the route that has all of them', async () => {
    gateway.provider.respond('small-p', json(200, message([])));
    const fallbacks = [{ model: 'bigger', max_tokens: 50, speed: 'fast' }];
    for (let sent = 0; sent < 4; sent++) {
      expect((await detailOf(await send({ fallbacks, tools: [advisor] })))?.record?.upstream).toBe('claude');
    }
    expect(bodyAtProvider()).toMatchObject({
      model: 'small-p',
      fallbacks: [{ model: 'big-p', max_tokens: 50 }],
      tools: [{ ...advisor, model: 'big-p' }],
    });
    expect(gateway.provider.calls.at(-1)?.text).not.toContain('fast');
  });

  test('is not left to the provider', async () => {
    gateway.provider.respond('small-p', json(200, message([])));
    const detail = await detailOf(await send({ fallbacks: 'default' }));
    expect(bodyAtProvider()).not.toHaveProperty('fallbacks');
    expect(detail?.record?.notes).toEqual(['left out, because only the operator may use it: fallbacks']);
  });

  test('has a hold of its own', async () => {
    const key = await gateway.newKey({ account: 'poor' });
    gateway.provider.respond('small-p', json(200, message([])));
    expect((await send({}, key)).status).toBe(200);
    expect((await send({ tools: [{ ...advisor, max_uses: 20, max_tokens: 1000 }] }, key)).status).toBe(402);
    expect((await send(compacting, key)).status).toBe(200);
  });

  test('is refused in a count of tokens too', async () => {
    const body = { model: 'small', messages, ...fallback, container: 'c_1' };
    const reply = await gateway.post('/anthropic/v1/messages/count_tokens', body, { 'x-api-key': gateway.key });
    expect(reply.status).toBe(400);
  });

  test('is checked in the other formats', async () => {
    const image = { type: 'image_generation', model: 'painter' };
    const ask = (tool: object) => gateway.post('/v1/responses', { model: 'speaker', input: 'hello', tools: [tool] });
    expect((await ask({ ...image, model: 'absent' })).status).toBe(403);
    expect((await gateway.chat({ models: ['absent'] })).status).toBe(403);
    const completion = await gateway.post('/v1/completions', { model: 'speaker', prompt: 'hello', models: ['absent'] });
    expect(completion.status).toBe(403);
    expect((await gateway.chat({ moderation: { model: 'absent' } })).status).toBe(403);
  });
});

describe('rights of the operator', () => {
  test('are left out, and the record notes it', async () => {
    gateway.provider.respond('small-p', json(200, message([])));
    const detail = await detailOf(
      await send({ billing_policy: { bill_to: 'user_profile' }, diagnostics: { previous_message_id: 'msg_1' } }),
    );
    expect(bodyAtProvider()).toEqual({ model: 'small-p', max_tokens: 100, messages, diagnostics: {} });
    expect(detail?.record?.notes).toEqual([
      'left out, because only the operator may use it: billing_policy, diagnostics.previous_message_id',
    ]);
  });

  test('are forwarded if the model allows them', async () => {
    gateway.provider.respond('trusted', json(200, message([])));
    await send({ model: 'trusted', billing_policy: { bill_to: 'user_profile' }, tags: ['a'] });
    expect(bodyAtProvider()).toMatchObject({ billing_policy: { bill_to: 'user_profile' } });
    expect(bodyAtProvider()).not.toHaveProperty('tags');
  });

  test('unknown fields and betas are forwarded', async () => {
    gateway.provider.respond('small-p', json(200, message([])));
    await send({ safeguards: { x: 1 }, next_year: true });
    expect(bodyAtProvider()).toMatchObject({ safeguards: { x: 1 }, next_year: true });
  });
});

describe('a thing that a provider stores', () => {
  test.each([
    ['container', { container: 'container_1' }],
    ['container.id', { container: { id: 'container_1' } }],
    ['container.skills[0].skill_id', { container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } }],
    ['container', { container: '\0' }],
    ['container', { container: 'x'.repeat(5000) }],
    ['thread', { thread: { type: 'create' } }],
    [
      'messages[0].content[0].file_id',
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }] },
    ],
  ])('is refused to an account that has not received its id: %s', async (path, more) => {
    const calls = gateway.provider.calls.length;
    const reply = await send(more);
    expect([reply.status, reply.json.error.message]).toEqual([400, expect.stringContaining(path)]);
    expect(gateway.provider.calls).toHaveLength(calls);
  });

  test('goes to the credential that has it, for the account that received its id', async () => {
    const written = { type: 'code_execution_output', file_id: 'file_mine' };
    const result = {
      type: 'code_execution_tool_result',
      content: { type: 'code_execution_result', content: [written] },
    };
    const made = {
      ...message([]),
      content: [result, ...content],
      container: { id: 'container_mine', expires_at: 'x' },
    };
    gateway.provider.respond('small-p', json(200, made));
    await detailOf(await send({ fallbacks: [{ model: 'big' }] }));
    const keyOf = () => gateway.provider.calls.at(-1)?.headers['x-api-key'];
    const first = keyOf();
    const block = { type: 'container_upload', file_id: 'file_mine' };
    const again = { container: 'container_mine', messages: [{ role: 'user', content: [block] }] };
    for (let sent = 0; sent < 6; sent++) {
      await detailOf(await send(again));
      expect([bodyAtProvider()?.['container'], keyOf()]).toEqual(['container_mine', first]);
    }
    const other = await gateway.newKey({ account: 'poor' });
    expect((await send(again, other)).status).toBe(400);
    expect((await send({ ...again, model: 'apart' })).status).toBe(400);
  });

  test('in a stream is known to the next request', async () => {
    const event = (data: { readonly type: string; readonly [name: string]: unknown }) => ({
      raw: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`,
    });
    const container = { id: 'container_streamed' };
    const usage = { input_tokens: 100, output_tokens: 1 };
    gateway.provider.respond(
      'big-p',
      sse([
        event({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage } }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'ok' } }),
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage: { output_tokens: 5 } }),
        event({ type: 'message_stop' }),
      ]),
    );
    await detailOf(await send({ model: 'big', stream: true }));
    const again = { model: 'big', stream: true, container: { id: 'container_streamed' } };
    expect((await send(again)).status).toBe(200);
  });

  test('a skill of the provider is no such thing', async () => {
    gateway.provider.respond('small-p', json(200, message([])));
    const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }];
    expect((await send({ container: { skills } })).status).toBe(200);
  });
});

describe('the tools of a response', () => {
  const image = { type: 'image_generation' };

  function respond(more: object) {
    const item = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'ok' }],
    };
    const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage, ...more };
    const completed = { type: 'response.completed', response };
    gateway.provider.respond(
      'speaker',
      sse([{ raw: `event: ${completed.type}\ndata: ${JSON.stringify(completed)}\n\n` }]),
    );
  }

  const ask = (tools: readonly object[], more: object = {}) =>
    gateway.post('/v1/responses', { model: 'speaker', input: 'hello', tools, ...more });

  test('draw at the price of the model that the request names', async () => {
    respond({ tool_usage: { image_gen: { input_tokens: 50, output_tokens: 4000 }, web_search: { num_requests: 0 } } });
    const detail = await detailOf(await ask([{ ...image, model: 'painter' }]));
    expect(bodyAtProvider()).toMatchObject({ tools: [{ ...image, model: 'painter-p' }] });
    expect(detail?.cost).toBe((100n + 20n + 250n + 160_000n) * 1000n);
  });

  test('draw at the price of the tool if the request names none', async () => {
    respond({ tool_usage: { image_gen: { input_tokens: 50, output_tokens: 4000 } } });
    const detail = await detailOf(await ask([image]));
    expect(detail?.cost).toBe((100n + 20n + 150n + 120_000n) * 1000n);
    expect(detail?.record?.toolUses).toEqual({
      image_generation_input_tokens: 50,
      image_generation_output_tokens: 4000,
    });
  });

  test('are counted as the provider counts them', async () => {
    respond({ tool_usage: { web_search: { num_requests: 3 } } });
    expect((await detailOf(await ask([{ type: 'web_search' }])))?.record?.toolUses).toEqual({ web_search: 3 });
  });

  test('reach the provider from nowhere without a price', async () => {
    respond({});
    const code = { type: 'code_interpreter', container: { type: 'auto' } };
    const own = { type: 'function', name: 'f', parameters: {} };
    const input = [
      { type: 'message', role: 'user', content: 'hello' },
      { type: 'additional_tools', role: 'developer', tools: [code, own] },
    ];
    await detailOf(await ask([{ type: 'namespace', name: 'n', description: 'd', tools: [code, own] }], { input }));
    expect(gateway.provider.calls.at(-1)?.text).not.toContain('code_interpreter');
    expect(bodyAtProvider()).toMatchObject({ tools: [{ tools: [own] }], input: [{}, { tools: [own] }] });
  });
});
