import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { createToken } from '../../src/manage/admin/api/tokens.ts';
import { expectAtRest } from '../at-rest.ts';
import { chunk, endings, finish, gate, json, type ScriptedReply, sse, usage } from '../fakes/fake-provider.ts';
import { framesOf, joined, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';
import { chatReply, messagesReply, responsesReply } from '../translation/scripted-replies.ts';

/** The output of a scripted model: some text, a call, or both. */
interface Output {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: string };
}

/** The output in the format of each provider. Each answer uses 100 prompt tokens and 20 completion tokens. */
const formats: Readonly<Record<string, (output: Output) => ScriptedReply>> = {
  chat: ({ text, call }) =>
    chatReply({
      message: {
        role: 'assistant',
        content: text ?? null,
        ...(call && { tool_calls: [{ id: 'call_1', type: 'function', function: call }] }),
      },
      finish_reason: call ? 'tool_calls' : 'stop',
    }),
  messages: ({ text, call }) =>
    messagesReply({
      content: [
        ...(text ? [{ type: 'text', text }] : []),
        ...(call ? [{ type: 'tool_use', id: 'toolu_1', name: call.name, input: JSON.parse(call.arguments) }] : []),
      ],
      stop_reason: call ? 'tool_use' : 'end_turn',
      stop_sequence: null,
    }),
  responses: ({ text, call }) =>
    responsesReply(
      [
        ...(text
          ? [
              {
                type: 'message',
                id: 'msg_1',
                status: 'completed',
                role: 'assistant',
                content: [{ type: 'output_text', text, annotations: [] }],
              },
            ]
          : []),
        ...(call ? [{ type: 'function_call', id: 'fc_1', status: 'completed', call_id: 'call_1', ...call }] : []),
      ],
      { status: 'completed' },
    ),
};

const price = { input: '1', cached_input: '1', output: '2' };
/** Twice `price`. */
const expensive = { input: '2', cached_input: '2', output: '4' };
/** The cost of one answer of 100 and 20 tokens, in nano-units. */
const once = 140_000n;

const time = jumpingClock();
let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startTestGateway(
    (base, provider) => {
      const [upstream] = base['upstreams'] as [object];
      return {
        ...base,
        waiting: { max_wait: '4m', hold_headers: '5m' },
        upstreams: [
          // One slot: a request that keeps its slot during a re-prompt would wait for itself.
          { ...upstream, name: 'chat', max_concurrency: 1 },
          { ...upstream, name: 'waited-for', max_concurrency: 1 },
          { ...upstream, name: 'breaking' },
          { ...upstream, name: 'prefixed', quirks: { prefix_style: 'prefix' } },
          { ...upstream, name: 'trusted', quirks: { strict: true, tool_choice: true, json: 'schema' } },
          { ...upstream, name: 'messages', kind: 'anthropic', base_url: provider.url, max_concurrency: 1 },
          { ...upstream, name: 'responses', quirks: { responses: 'only' }, max_concurrency: 1 },
        ],
        models: [
          ...Object.keys(formats).map((name) => model(name, { price, routes: [{ upstream: name }] })),
          model('trusted', { price, routes: [{ upstream: 'trusted' }] }),
          model('mixed', {
            price,
            continue: 'never',
            routes: [
              { upstream: 'breaking', model: 'answers-wrong', priority: 0 },
              { upstream: 'trusted', model: 'answers-right', priority: 1 },
            ],
          }),
          model('off', { price, routes: [{ upstream: 'chat' }], guarantees: { tool_choice: 'off', strict: 'off' } }),
          model('once', { price, routes: [{ upstream: 'chat' }], tools: { attempts: 0 } }),
          model('gift', { price, routes: [{ upstream: 'chat' }], tools: { paid_by: 'gateway' } }),
          model('whole', { price, routes: [{ upstream: 'chat' }], json_delivery: 'whole' }),
          model('measured', { price, routes: [{ upstream: 'chat' }] }),
          model('late', { price, routes: [{ upstream: 'waited-for' }] }),
          model('before', { price, routes: [{ upstream: 'waited-for' }] }),
          model('gone', { price, routes: [{ upstream: 'chat' }] }),
          model('other', { price: expensive, routes: [{ upstream: 'messages' }] }),
          model('goes-on', {
            price,
            continue: 'prefill',
            json_delivery: 'whole',
            routes: [
              { upstream: 'breaking', model: 'breaks-off', priority: 0 },
              { upstream: 'prefixed', model: 'goes-on', priority: 1 },
            ],
          }),
          model('falls', { price, routes: [{ upstream: 'chat' }], fallbacks: [{ model: 'other' }] }),
        ],
        accounts: [
          { name: 'tester', package: 'standard', credit: '100.00' },
          // Enough for one call of the model, and not for a second one after the cost of the first.
          { name: 'poor', package: 'standard', credit: '0.0032' },
          { name: 'limited', package: 'standard', credit: '10', limits: [{ amount: '0.0032', period: 'total' }] },
        ],
      };
    },
    { clock: time },
  );
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

/** Scripts the replies of a model in order; the last one repeats. Returns the request bodies that it gets. */
function script(name: string, ...replies: readonly ScriptedReply[]): Record<string, any>[] {
  const bodies: Record<string, any>[] = [];
  gateway.provider.respond(name, (writer, call) => {
    bodies.push(call.body!);
    return replies[Math.min(bodies.length, replies.length) - 1]!(writer, call);
  });
  return bodies;
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const called = { name: 'get_weather', arguments: '{"city":"Oslo","days":3}' };
const question = 'What is the weather?';

/** The options of a request. */
interface RequestOptions {
  readonly strict?: boolean;
  readonly toolChoice?: 'required' | 'none';
  /** Whether the text must match a JSON schema. */
  readonly json?: boolean;
}
/** The answer as the client of a surface parses it. */
interface ParsedAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly tokens: readonly [number | undefined, number | undefined];
}

const surfaces: Readonly<Record<string, (name: string, options: RequestOptions) => Promise<ParsedAnswer>>> = {
  chat: async (name, { strict = false, toolChoice, json: isJson = false }) => {
    const completion = await openai.chat.completions
      .stream({
        model: name,
        messages: [{ role: 'user', content: question }],
        ...(isJson
          ? { response_format: { type: 'json_schema' as const, json_schema: { name: 'weather', schema: parameters } } }
          : { tools: [{ type: 'function' as const, function: { name: 'get_weather', parameters, strict } }] }),
        ...(toolChoice && { tool_choice: toolChoice }),
      })
      .finalChatCompletion();
    const { message } = completion.choices[0]!;
    const calls = (message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, input: call.function.parsed_arguments ?? JSON.parse(call.function.arguments) }]
        : [],
    );
    const { prompt_tokens, completion_tokens } = completion.usage!;
    return { text: message.content ?? '', calls, tokens: [prompt_tokens, completion_tokens] };
  },
  messages: async (name, { strict = false, toolChoice, json: isJson = false }) => {
    const message = await anthropic.messages
      .stream({
        model: name,
        max_tokens: 100,
        messages: [{ role: 'user', content: question }],
        ...(isJson
          ? { output_config: { format: { type: 'json_schema', schema: parameters } } }
          : { tools: [{ name: 'get_weather', input_schema: parameters as Anthropic.Tool.InputSchema, strict }] }),
        ...(toolChoice && { tool_choice: { type: toolChoice === 'none' ? 'none' : 'any' } }),
      })
      .finalMessage();
    const { content, usage: used } = message;
    const input = used.input_tokens + (used.cache_read_input_tokens ?? 0) + (used.cache_creation_input_tokens ?? 0);
    return {
      text: textIn(content),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
      tokens: [input, used.output_tokens],
    };
  },
  responses: async (name, { strict = false, toolChoice, json: isJson = false }) => {
    const response = await openai.responses
      .stream({
        model: name,
        input: question,
        store: false,
        ...(isJson
          ? { text: { format: { type: 'json_schema' as const, name: 'weather', schema: parameters } } }
          : { tools: [{ type: 'function' as const, name: 'get_weather', parameters, strict }] }),
        ...(toolChoice && { tool_choice: toolChoice }),
      })
      .finalResponse();
    const calls = response.output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, input: JSON.parse(item.arguments) }] : [],
    );
    return {
      text: response.output_text,
      calls,
      tokens: [response.usage?.input_tokens, response.usage?.output_tokens],
    };
  },
};

const right = { name: 'get_weather', input: { city: 'Oslo', days: 3 } };

describe.each(Object.keys(formats))('a model behind a provider of the %s format', (name) => {
  const inFormat = formats[name]!;

  describe.each(Object.keys(surfaces))('called by a client of the %s format', (surface) => {
    const send = surfaces[surface]!;

    test('is re-prompted if it makes no call although one is required', async () => {
      const bodies = script(name, inFormat({ text: 'It is sunny.' }), inFormat({ call: called }));
      expect(await send(name, { toolChoice: 'required' })).toEqual({ text: '', calls: [right], tokens: [200, 40] });
      expect(bodies).toHaveLength(2);
      const [, again] = bodies.map((body) => JSON.stringify(body));
      expect(again).toContain('It is sunny.');
      expect(again).toContain('has to call');
    });

    test('is re-prompted with the violations if its arguments do not match a strict schema', async () => {
      const wrong = { ...called, arguments: '{"city":"Oslo","day":3}' };
      const bodies = script(name, inFormat({ call: wrong }), inFormat({ call: called }));
      expect(await send(name, { strict: true })).toEqual({ text: '', calls: [right], tokens: [200, 40] });
      expect(JSON.stringify(bodies[1])).toContain('do not fit its parameters');
    });

    test('has its arguments repaired if they match a strict schema after one conversion', async () => {
      const bodies = script(name, inFormat({ call: { ...called, arguments: '{"city":"Oslo","days":"3"}' } }));
      expect(await send(name, { strict: true })).toEqual({ text: '', calls: [right], tokens: [100, 20] });
      expect(bodies).toHaveLength(1);
    });

    test('is re-prompted if it writes prose instead of JSON, and text around the JSON is removed', async () => {
      const fenced = `Here you are:\n\`\`\`json\n${called.arguments}\n\`\`\``;
      const bodies = script(name, inFormat({ text: 'It is sunny.' }), inFormat({ text: fenced }));
      const { text, tokens } = await send(name, { json: true });
      expect([JSON.parse(text), tokens, bodies.length]).toEqual([right.input, [200, 40], 2]);
    });

    test('is re-prompted if it makes a call although none is allowed', async () => {
      const bodies = script(name, inFormat({ call: called }), inFormat({ text: 'Sunny.' }));
      expect(await send(name, { toolChoice: 'none' })).toEqual({ text: 'Sunny.', calls: [], tokens: [200, 40] });
      expect(bodies).toHaveLength(2);
    });
  });
});

const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
const strictTool = (schema: object) => ({
  type: 'function',
  function: { name: 'get_weather', parameters: schema, strict: true },
});
const requireCall = (name: string, more: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  gateway.chat({ model: name, tools, tool_choice: 'required', ...more }, headers);
const { chat: inChat, messages: inMessages } = formats;

async function detailOf({ headers }: { readonly headers: Headers }) {
  const id = headers.get('x-gateway-request-id') ?? '';
  const { store } = gateway.gateway;
  const state = async () => (await requestDetail(store, id))?.state;
  await expect.poll(state, { message: 'the state of the request' }).toBe('recorded');
  const detail = (await requestDetail(store, id))!;
  // The ledger, the record and the price agree on the charge, and there is one charge.
  const pico = detail.costLines.reduce((sum, { tokens, perToken }) => sum + tokens * perToken, 0n);
  const cost = detail.record?.cost ?? 0n;
  expect(pico / 1000n).toBe(cost);
  expect(detail.ledger.map(({ amount }) => amount)).toEqual(cost === 0n ? [] : [-cost]);
  await expectAtRest(gateway.gateway);
  return { ...detail, cost, reasons: detail.ledger.map(({ reason }) => reason) };
}

/** The charge of one of several requests. A request that joined another has no charge. */
async function chargeOf({ headers }: { readonly headers: Headers }): Promise<bigint> {
  const id = headers.get('x-gateway-request-id') ?? '';
  const { store } = gateway.gateway;
  const state = async () => (await requestDetail(store, id))?.state;
  await expect.poll(state, { message: 'the state of the request' }).toBe('recorded');
  const { ledger } = (await requestDetail(store, id))!;
  return ledger.reduce((sum, { amount }) => sum - amount, 0n);
}

test('every re-prompt is an attempt of the same request, with one charge, and the request detail lists them', async () => {
  script('chat', inChat!({ text: 'No.' }), inChat!({ text: 'No!' }), inChat!({ call: called }));
  const reply = await requireCall('chat');
  expect(reply.status).toBe(200);
  const { record, cost, reasons } = await detailOf(reply);
  expect(cost).toBe(3n * once);
  expect(reasons).toEqual(['request; discarded answers: 2, paid by the account']);
  expect(record?.attempts.map(({ status, errorCase, reason }) => [status, errorCase, reason])).toEqual([
    [200, 'constraint-violated', 're-prompted, tool_choice was violated'],
    [200, 'constraint-violated', 're-prompted, tool_choice was violated'],
    [200, undefined, undefined],
  ]);
});

test('after the last attempt the client gets an error status, if nothing was sent before', async () => {
  const bodies = script('chat', inChat!({ text: 'No.' }));
  const reply = await requireCall('chat');
  expect([reply.status, reply.json.error.code, reply.json.error.type]).toEqual([
    502,
    'constraint_violated',
    'upstream_error',
  ]);
  expect(reply.json.error.message).toContain('tool_choice');
  expect(bodies).toHaveLength(3);
  expect(await detailOf(reply)).toMatchObject({
    cost: 3n * once,
    record: { status: 502, errorCase: 'constraint-violated' },
  });
});

test('the settings decide the number of attempts and who pays for discarded answers', async () => {
  const bodies = script('once', inChat!({ text: 'No.' }));
  expect(await requireCall('once')).toMatchObject({ status: 502 });
  expect(bodies).toHaveLength(1);

  script('gift', inChat!({ text: 'No.' }), inChat!({ call: called }));
  const kept = await requireCall('gift');
  expect(kept.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
  expect(await detailOf(kept)).toMatchObject({
    cost: once,
    reasons: ['request; discarded answers: 1, paid by the gateway'],
  });
  script('gift', inChat!({ text: 'No.' }));
  const lost = await requireCall('gift');
  expect(lost.status).toBe(502);
  expect(await detailOf(lost)).toMatchObject({ cost: 0n });
});

/** Streams an answer, and opens the gate when the client has received these words. */
async function readUntil(words: string, seen: ReturnType<typeof gate>, body: object) {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: question }], ...body }),
  });
  let text = '';
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes(words)) seen.open();
  }
  return { reply, ...framesOf({ status: reply.status, headers: reply.headers, text, json: undefined }) };
}

test.each([
  ['match after a re-prompt', [called], { calls: 1, end: '[DONE]', cost: 2n }],
  ['never match', [], { calls: 0, end: 'constraint_violated', cost: 3n }],
])('arguments after a text that was already sent follow it if they %s', async (_, better, expected) => {
  const seen = gate();
  const wrong = { index: 0, id: 'call_1', type: 'function', function: { ...called, arguments: '{"city":1}' } };
  const first = sse([
    chunk({ content: 'Let me see.' }),
    seen.opened,
    chunk({ tool_calls: [wrong] }),
    finish('tool_calls'),
    usage(100, 20),
    '[DONE]',
  ]);
  script('chat', first, ...better.map((call) => inChat!({ call })), inChat!({ call: wrong.function }));
  const { reply, text } = await readUntil('Let me see.', seen, { model: 'chat', tools: [strictTool(parameters)] });
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  expect(text.match(/Let me see\./g)).toHaveLength(1);
  expect(text.match(/"arguments":"\{/g) ?? []).toHaveLength(expected.calls);
  expect(text).not.toContain('\\"city\\":1');
  expect(frames.at(-1)).toContain(expected.end);
  expect((await detailOf(reply)).cost).toBe(expected.cost * once);
});

test('arguments that are not JSON are quoted to the model in the re-prompt', async () => {
  const bodies = script('chat', inChat!({ call: { ...called, arguments: '{"city":' } }), inChat!({ call: called }));
  const reply = await gateway.chat({ model: 'chat', tools: [strictTool(parameters)] });
  expect(reply.frames.at(-1)).toBe('[DONE]');
  const [, correction] = bodies[1]!['messages'].slice(-2);
  expect(correction).toMatchObject({ role: 'user' });
  expect(correction.content).toContain('{"city":');
});

test.each([
  ['a reference to elsewhere', { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } }, '$ref'],
  ['a pattern that takes for ever', { type: 'object', properties: { a: { pattern: '(a+)+$' } } }, 'unlimited time'],
  ['no schema at all', { type: 'thing' }, 'type'],
])('a strict schema with %s is rejected, and the error names the reason', async (_, hostile, words) => {
  const before = gateway.provider.calls.length;
  const reply = await gateway.chat({ model: 'chat', tools: [strictTool(hostile)] });
  expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
  expect(reply.json.error.message).toContain('get_weather');
  expect(reply.json.error.message).toContain(words);
  expect(gateway.provider.calls).toHaveLength(before);
});

test('a constraint that the provider enforces, or that is off, changes nothing', async () => {
  for (const name of ['trusted', 'off']) {
    const bodies = script(name, inChat!({ text: 'No.' }));
    expect([joined(await requireCall(name)), bodies.length]).toEqual(['No.', 1]);
  }
});

test.each([
  ['balance', 'poor'],
  ['spend limit', 'limited'],
])('a re-prompt above the %s of the account is not made', async (_, account) => {
  const key = await gateway.newKey({ account });
  const bodies = script('chat', inChat!({ text: 'No.' }));
  const headers = { authorization: `Bearer ${key}` };
  const reply = await requireCall('chat', { max_tokens: 20 }, headers);
  expect([reply.status, reply.json.error.code, bodies.length]).toEqual([502, 'constraint_violated', 1]);
  expect((await detailOf(reply)).cost).toBe(once);
});

test.each([
  // 90 s of the limit remain for the first case, which is more than the test takes.
  ['within the limit', 20_000, '[DONE]', 2n],
  ['above the limit', 120_000, 'overloaded', 1n],
])('one queue timeout applies to the sum of the waits of all attempts: %s', async (_, moreMs, end, answers) => {
  const [first, second, answered] = [gate(), gate(), gate()];
  const ends = [finish('stop'), usage(100, 20), '[DONE]'];
  script('before', ...[first, second].map(({ opened }) => sse([chunk({ content: 'So' }), opened, ...ends])));
  script('late', sse([chunk({ content: 'No.' }), answered.opened, ...ends]), inChat!({ call: called }));
  const calls = gateway.provider.calls.length;
  const isCalled = async (count: number) => {
    const message = 'calls at the provider';
    await expect.poll(() => gateway.provider.calls.length, { message }).toBe(calls + count);
  };
  const isWaiting = async () => {
    await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests in a queue' }).toBe(1);
  };
  const before = gateway.chat({ model: 'before' });
  await isCalled(1);
  const late = requireCall('late');
  await isWaiting();
  time.jump(130_000);
  first.open();
  await isCalled(2);
  // The time that the model takes to answer does not count as waiting.
  time.jump(120_000);
  const between = gateway.chat({ model: 'before' });
  await isWaiting();
  answered.open();
  await isCalled(3);
  await isWaiting();
  time.jump(moreMs);
  second.open();
  const reply = await late;
  expect(reply.text).toContain(end);
  expect((await detailOf(reply)).cost).toBe(answers * once);
  await Promise.all([before, between]);
});

test('a fallback answers if the model keeps violating the constraint, at its own price', async () => {
  const bodies = script('falls', inChat!({ text: 'No.' }));
  script('other', inMessages!({ call: called }));
  const reply = await requireCall('falls');
  expect(bodies).toHaveLength(3);
  expect(reply.chunks.at(-1)).toMatchObject({ model: 'other' });
  expect(await detailOf(reply)).toMatchObject({ cost: 2n * once, record: { model: 'other', status: 200 } });
});

test.each([
  ['fails', json(401, { error: { code: 'invalid_api_key' } }), 1],
  ['violates the constraint too', inMessages!({ text: 'No.' }), 3],
])(
  'if the fallback %s, the discarded answers of the first model are charged at its price',
  async (_, answers, times) => {
    script('falls', inChat!({ text: 'No.' }));
    const bodies = script('other', answers);
    const reply = await requireCall('falls');
    expect([reply.status, reply.json.error.code, bodies.length]).toEqual([502, 'constraint_violated', times]);
    expect(await detailOf(reply)).toMatchObject({
      cost: 3n * once,
      reasons: ['request; discarded answers: 3, paid by the account'],
      record: { model: 'falls', status: 502 },
    });
  },
);

test('a fallback that violates the constraint is charged if the model before it gave no answer', async () => {
  script('falls', json(401, { error: { code: 'invalid_api_key' } }));
  script('other', inMessages!({ text: 'No.' }));
  const reply = await requireCall('falls');
  expect([reply.status, reply.json.error.code]).toEqual([502, 'upstream_failed']);
  expect(await detailOf(reply)).toMatchObject({ cost: 6n * once, record: { model: 'other', status: 502 } });
});

test('a violation in an answer continued at another provider causes one re-prompt for the whole answer', async () => {
  const interrupted = sse([chunk({ role: 'assistant', content: 'It is' }), endings.cut]);
  // The second reply is there in case the cooldown of the failed provider has already ended.
  gateway.provider.respond('breaks-off', interrupted, inChat!({ text: called.arguments }));
  const bodies = script('goes-on', inChat!({ text: ' sunny.' }), inChat!({ text: called.arguments }));
  const format = { type: 'json_schema', json_schema: { name: 'weather', schema: parameters } };
  const reply = await gateway.chat({ model: 'goes-on', response_format: format });
  expect(joined(reply)).toBe(called.arguments);
  expect(bodies[0]?.['messages'].at(-1)).toMatchObject({ role: 'assistant', content: 'It is' });
  const { record, ledger } = await detailOf(reply);
  expect([record?.attemptCount, ledger.length]).toEqual([3, 1]);
  expect(ledger[0]?.reason).toBe('request; discarded answers: 1, paid by the account');
});

test('a retry that joins during a re-prompt gets the same answer, for one charge', async () => {
  const better = gate();
  const call = { index: 0, id: 'call_1', type: 'function', function: called };
  const second = [better.opened, chunk({ tool_calls: [call] }), finish('tool_calls'), usage(100, 20), '[DONE]'];
  const bodies = script('chat', inChat!({ text: 'No.' }), sse(second));
  const headers = { 'idempotency-key': 'again' };
  const first = requireCall('chat', {}, headers);
  await expect.poll(() => bodies.length, { message: 'calls of the model' }).toBe(2);
  const retry = requireCall('chat', {}, headers);
  const answers = () => gateway.gateway.inFlight();
  await expect.poll(answers, { message: 'requests that wait for the answer' }).toEqual({ exchanges: 2, answers: 1 });
  better.open();
  const replies = await Promise.all([first, retry]);
  expect(replies.map(({ text }) => text.match(/"arguments":"\{/g)?.length)).toEqual([1, 1]);
  expect(bodies).toHaveLength(2);
  const charges = await Promise.all(replies.map((reply) => chargeOf(reply)));
  expect(new Set(charges)).toEqual(new Set([0n, 2n * once]));
});

test('a violation in one of several choices causes a re-prompt for all of them', async () => {
  const choices = (...calls: readonly boolean[]) =>
    sse([
      ...calls.flatMap((makesCall, index) => {
        const call = { index: 0, id: `call_${index}`, type: 'function', function: called };
        const delta = makesCall ? { tool_calls: [call] } : { content: 'No.' };
        return [
          { ...chunk({}), choices: [{ index, delta, finish_reason: null }] },
          { ...chunk({}), choices: [{ index, delta: {}, finish_reason: makesCall ? 'tool_calls' : 'stop' }] },
        ];
      }),
      usage(100, 40),
      '[DONE]',
    ]);
  const bodies = script('whole', choices(false, true), choices(true, true));
  const reply = await gateway.chat({ model: 'whole', n: 2, tools: [strictTool(parameters)], tool_choice: 'required' });
  expect([reply.text.match(/"arguments":"\{/g)?.length, reply.text.includes('No.')]).toEqual([2, false]);
  expect(bodies.map(({ n }) => n)).toEqual([2, 2]);
  expect((await detailOf(reply)).cost).toBe(2n * 180_000n);
});

test('an answer that is interrupted before its first byte was sent costs nothing', async () => {
  script('chat', sse([chunk({ content: 'Well, let me see what I can' }), endings.cut]));
  const reply = await requireCall('chat');
  expect([reply.status, reply.json.error.code]).toEqual([502, 'upstream_failed']);
  expect((await detailOf(reply)).cost).toBe(0n);
});

test('the answer of a trusted provider after a violation at another one is charged too', async () => {
  script('answers-wrong', inChat!({ text: 'No.' }), json(500, {}));
  script('answers-right', inChat!({ call: called }));
  const reply = await requireCall('mixed');
  const { cost, record } = await detailOf(reply);
  expect([reply.status, cost, record?.upstream]).toEqual([200, 2n * once, 'trusted']);
  expect(reply.text).toContain('get_weather');
});

test('a provider failure during a re-prompt adds no cost, and the client gets that failure', async () => {
  script('chat', inChat!({ text: 'No.' }), json(401, { error: { code: 'invalid_api_key' } }));
  const reply = await requireCall('chat');
  expect([reply.status, reply.json.error.code]).toEqual([502, 'upstream_failed']);
  expect((await detailOf(reply)).cost).toBe(once);
});

test.each([
  ['while its first answer is buffered', [sse([chunk({ content: 'No' }), endings.hang])], 0n],
  ['during a re-prompt', [formats['chat']!({ text: 'No.' }), sse([chunk({ content: 'No' }), endings.hang])], once],
])('a client that leaves %s is charged for the prompts and output until then', async (_, replies, atLeast) => {
  const { db } = gateway.gateway.store;
  const records = db.selectFrom('requests').selectAll().where('model', '=', 'gone').orderBy('started_at');
  const before = (await records.execute()).length;
  const bodies = script('gone', ...replies);
  const controller = new AbortController();
  const body = { model: 'gone', messages: [{ role: 'user', content: question }], tools, tool_choice: 'required' };
  const leaving = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body),
    signal: controller.signal,
  }).catch(() => undefined);
  await expect.poll(() => bodies.length, { message: 'calls of the model' }).toBe(replies.length);
  controller.abort();
  await leaving;
  await expectAtRest(gateway.gateway);
  await expect.poll(() => records.execute(), { message: 'records of this model' }).toHaveLength(before + 1);
  const last = (await records.execute()).at(-1);
  expect(last?.status).toBe(499);
  expect(BigInt(last?.cost ?? 0)).toBeGreaterThan(atLeast);
});

describe('a JSON answer', () => {
  const schema = { type: 'json_schema', json_schema: { name: 'weather', schema: parameters } };
  const send = (name: string, format: object) => gateway.chat({ model: name, response_format: format });

  test('with the format json_object is one object without surrounding text', async () => {
    script('chat', inChat!({ text: 'Sure!\n{"a":1}\nAnything else?' }));
    expect(joined(await send('chat', { type: 'json_object' }))).toBe('{"a":1}');
  });

  /** Sends the second piece only after the client received the first. Returns the reply, its cost and the calls. */
  async function inTwoPieces(before: string, after: string) {
    const seen = gate();
    const ends = [finish('stop'), usage(100, 20), '[DONE]'];
    const bodies = script('chat', sse([chunk({ content: before }), seen.opened, chunk({ content: after }), ...ends]));
    const read = await readUntil('{\\"city', seen, { model: 'chat', response_format: schema });
    const text = joined({ ...read, chunks: read.chunks.filter((each) => 'choices' in each) });
    return { bodies, text, last: read.frames.at(-1), cost: (await detailOf(read.reply)).cost };
  }

  test('that violates its schema after its first bytes were sent ends in an error', async () => {
    const { bodies, text, last, cost } = await inTwoPieces('{"city":"Oslo",', '"days":"many"}');
    expect('{"city":"Oslo","days":"many"}'.startsWith(text)).toBe(true);
    expect([last, bodies.length, cost]).toEqual([expect.stringContaining('constraint_violated'), 1, once]);
  });

  test('in a code fence is streamed without the fence and the text after it', async () => {
    const { bodies, text, last, cost } = await inTwoPieces('```json\n{"city":"Oslo",', '"days":3}\n```\nEnjoy!');
    expect([text, last, bodies.length, cost]).toEqual([called.arguments, '[DONE]', 1, once]);
  });

  test('that is delivered whole can still be re-prompted', async () => {
    script('whole', inChat!({ text: '{"city":"Oslo","days":"many"}' }), inChat!({ text: called.arguments }));
    expect(joined(await send('whole', schema))).toBe(called.arguments);
  });

  test('with an unusable schema is rejected, and the error names response_format', async () => {
    const reply = await send('chat', { ...schema, json_schema: { name: 'x', schema: { $ref: 'file:///etc' } } });
    expect([reply.status, reply.json.error.message]).toEqual([400, expect.stringContaining('response_format')]);
  });
});

describe.each(Object.keys(formats))('an answer above max_tokens from a provider of the %s format', (name) => {
  const whole = 'one two six ten '.repeat(200);
  const cap = 300;
  const messages = [{ role: 'user' as const, content: question }];
  const clients: Readonly<Record<string, () => Promise<readonly [text: string, end: unknown, tokens: unknown]>>> = {
    'the chat surface': async () => {
      const stream = openai.chat.completions.stream({ model: name, messages, max_tokens: cap });
      const { choices, usage: used } = await stream.finalChatCompletion();
      return [choices[0]?.message.content ?? '', choices[0]?.finish_reason, used?.completion_tokens];
    },
    'the messages surface': async () => {
      const message = await anthropic.messages.stream({ model: name, messages, max_tokens: cap }).finalMessage();
      return [textIn(message.content), message.stop_reason, message.usage.output_tokens];
    },
    'the messages surface, in one piece': async () => {
      const message = await anthropic.messages.create({ model: name, messages, max_tokens: cap });
      return [textIn(message.content), message.stop_reason, message.usage.output_tokens];
    },
    'the responses surface': async () => {
      const request = { model: name, input: question, max_output_tokens: cap, store: false };
      const response = await openai.responses.stream(request).finalResponse();
      return [response.output_text, response.incomplete_details?.reason, response.usage?.output_tokens];
    },
    'the responses surface, in one piece': async () => {
      const request = { model: name, input: question, max_output_tokens: cap, store: false };
      const response = await openai.responses.create(request);
      return [response.output_text, response.incomplete_details?.reason, response.usage?.output_tokens];
    },
  };

  test.each(Object.entries(clients))(
    'is truncated for a client of %s, which pays for the usage that the provider reports',
    async (surface, send) => {
      script(name, formats[name]!({ text: whole }));
      const [text, end, tokens] = await send();
      expect(end).toBe(
        surface === 'the chat surface' ? 'length' : `max_${surface.includes('responses') ? 'output_' : ''}tokens`,
      );
      // The limit is 8 letters per token plus 64. A pass-through stream is truncated between two frames, here in the middle.
      const isPassedOn = surface === `the ${name} surface`;
      expect([text, whole.startsWith(text)]).toEqual([
        whole.slice(0, name !== 'chat' && isPassedOn ? whole.length / 2 : 2464),
        true,
      ]);
      expect(tokens).toBe(20);
      await expectAtRest(gateway.gateway);
    },
  );
});

function textIn(content: readonly Anthropic.ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe("the SDK's own validators", () => {
  const weather = z.object({ city: z.string(), days: z.int() });
  const messages = [{ role: 'user' as const, content: question }];
  const wrong = { ...called, arguments: '{"city":"Oslo","day":3}' };
  const [textReplies, callReplies] = [
    [inChat!({ text: 'It is sunny.' }), inChat!({ text: `Sure!\n\`\`\`json\n${called.arguments}\n\`\`\`` })],
    [inChat!({ call: wrong }), inChat!({ call: { ...called, arguments: '{"city":"Oslo","days":"3"}' } })],
  ];
  const tool = zodFunction({ name: 'get_weather', parameters: weather });
  const format = zodResponseFormat(weather, 'weather');
  const request = { model: 'chat', messages };
  const parsers: readonly [string, readonly ScriptedReply[], () => Promise<unknown>][] = [
    [
      'a completion of a format',
      textReplies,
      async () => {
        const stream = openai.chat.completions.stream({ ...request, response_format: format });
        return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
      },
    ],
    [
      'a call',
      callReplies,
      async () => {
        const stream = openai.chat.completions.stream({ ...request, tools: [tool] });
        const { choices } = await stream.finalChatCompletion();
        const call = choices[0]?.message.tool_calls?.[0];
        return call?.type === 'function' ? call.function.parsed_arguments : undefined;
      },
    ],
    [
      'a response of a format',
      textReplies,
      async () => {
        const text = { format: zodTextFormat(weather, 'weather') };
        return (await openai.responses.parse({ model: 'chat', input: question, text })).output_parsed;
      },
    ],
    [
      'a call in a response',
      callReplies,
      async () => {
        const tools = [zodResponsesFunction({ name: 'get_weather', parameters: weather })];
        const { output } = await openai.responses.parse({ model: 'chat', input: question, tools });
        return output.flatMap((item) => (item.type === 'function_call' ? [item.parsed_arguments] : []))[0];
      },
    ],
  ];

  test.each(parsers)('accept %s', async (_, replies, parsed) => {
    const bodies = script('chat', ...replies);
    expect([await parsed(), bodies.length]).toEqual([right.input, 2]);
  });

  test('run a tool with valid arguments only, and continue with its result', async () => {
    const bodies = script('chat', ...callReplies, inChat!({ text: 'Take a coat.' }));
    const run: unknown[] = [];
    const running = zodFunction({
      name: 'get_weather',
      parameters: weather,
      function: (given) => {
        run.push(weather.parse(given));
        return 'rain';
      },
    });
    const runner = openai.chat.completions.runTools({ ...request, stream: true, tools: [running] });
    expect([await runner.finalContent(), run, bodies.length]).toEqual(['Take a coat.', [right.input], 3]);
    // The client's conversation does not contain the re-prompt between the gateway and the model.
    expect(JSON.stringify(bodies[2])).not.toContain('Nothing was called');
    expect(bodies[2]!['messages'].map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

test('the outcomes of every constraint are counted, and the catalog lists them', async () => {
  const send = async (body: object, ...outputs: readonly Output[]) => {
    script('measured', ...outputs.map((output) => inChat!(output)));
    await detailOf(await gateway.chat({ model: 'measured', ...body }));
  };
  const bad = (text: string) => ({ call: { ...called, arguments: text } });
  const strict = { tools: [strictTool(parameters)] };
  const chosen = { tools, tool_choice: 'required' };
  const inJson = { response_format: { type: 'json_object' } };
  await send(strict, { call: called });
  await send(strict, bad('{"city":"Oslo","days":"3"}'));
  await send(strict, bad('{}'), { call: called });
  await send(strict, bad('{}'));
  await send(chosen, { text: 'No.' }, { call: called });
  await send(chosen, { text: 'No.' });
  await send(inJson, { text: '{}' });
  await send(inJson, { text: 'Sure! {}' });
  await send(inJson, { text: 'No.' }, { text: '{}' });
  await send({ stop: ['END'] }, { text: 'The END is near.' });
  await send({ stop: ['END'], max_tokens: 10 }, { text: 'The END is near.' });
  await send({ stop: ['END'], max_tokens: 10 }, { text: `${'A long word, and another. '.repeat(40)}END` });
  await send({ max_tokens: 10 }, { text: 'Short.' });
  await send({ max_tokens: 10 }, { text: 'A long word, and another. '.repeat(40) });

  const { store, pepper } = gateway.gateway;
  const reader = { name: 'reader', role: 'read-only' as const, accountId: undefined };
  const { secret } = await createToken({ store, pepper, clock: time }, reader);
  const constraints = async () => {
    const { json: found } = await gateway.get('/admin/v1/catalog/models', { authorization: `Bearer ${secret}` });
    return found.data.find(({ id }: { id: string }) => id === 'measured').constraints;
  };
  const counts = (constraint: string, [met, repaired, reprompted, violated]: [number, number, number, number]) => {
    return { constraint, seen: met + repaired + reprompted + violated, met, repaired, reprompted, violated };
  };
  expect(await constraints()).toEqual([
    counts('json', [2, 1, 1, 0]),
    counts('max_tokens', [2, 2, 0, 0]),
    counts('stop', [1, 2, 0, 0]),
    counts('strict', [2, 1, 3, 1]),
    counts('tool_choice', [1, 0, 3, 1]),
  ]);
});
