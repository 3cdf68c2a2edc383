import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { examples, tools } from '../fixtures/dialects/markup/examples.ts';
import { pieces } from '../fixtures/dialects/markup/read-markup.ts';
import { callSums } from '../../src/money/requests/rollups/call-sums.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { answer, chunk, finish, json, sse, usage } from '../fakes/fake-replies.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const offered = Object.entries(tools).map(([name, parameters]) => ({
  type: 'function' as const,
  function: { name, parameters: { ...parameters } },
}));

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  const families = [...new Set(examples.map(({ family }) => family))];
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      ...families.flatMap((family) => [
        model(family, { tool_format: family }),
        model(`${family}-thinks`, { tool_format: family, thinking: true }),
      ]),
      model('any', { tool_format: 'auto' }),
      model('repairing', { tool_format: 'auto', repair_arguments: true }),
      model('off', { tool_format: 'off' }),
      model('acme/kimi-k2-instruct'),
    ],
  }));
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

/** The answer as the SDK parses it. The text is sent in pieces of `size`. */
async function send(name: string, raw: string, options: { size: number; finish?: string; withTools?: boolean }) {
  const textChunks = pieces(raw, options.size).map((content) => chunk({ content }));
  gateway.provider.respond(
    name,
    sse([...textChunks, finish(options.finish ?? 'stop'), usage(5, 5), '[DONE]'], { split: 'whole' }),
  );
  const stream = client.chat.completions.stream({
    model: name,
    messages: [{ role: 'user', content: 'Go.' }],
    ...(options.withTools !== false && { tools: offered }),
  });
  let reasoning = '';
  stream.on('chunk', ({ choices: [choice] }) => {
    const delta: object = choice?.delta ?? {};
    if ('reasoning_content' in delta && typeof delta.reasoning_content === 'string')
      reasoning += delta.reasoning_content;
  });
  const [choice] = (await stream.finalChatCompletion()).choices;
  const calls = (choice?.message.tool_calls ?? []).map((call) =>
    call.type === 'function' ? call.function : undefined,
  );
  return { content: choice?.message.content ?? '', reasoning, calls, finish: choice?.finish_reason };
}

describe.each(examples)('$name', (example) => {
  test.each([1, 7, 10_000])('reaches the openai SDK as calls and reasoning, in pieces of %i', async (size) => {
    const name = example.startsInReasoning ? `${example.family}-thinks` : example.family;
    const { raw, offersTools } = example;
    const got = await send(name, raw, { size, finish: example.finish, withTools: offersTools });
    const shown = (text: string) => (example.trim ? text.trim() : text);
    expect(shown(got.content)).toBe(shown(example.content));
    expect(shown(got.reasoning)).toBe(shown(example.reasoning));
    expect(got.finish).toBe(example.expectedFinish);
    expect(
      got.calls.map((call) => ({ name: call?.name, arguments: JSON.parse(call?.arguments ?? '') as unknown })),
    ).toEqual(example.calls.map((call) => ({ name: call.name, arguments: call.arguments })));
  });
});

const kimi = '<|tool_call_begin|>functions.get_tide:0<|tool_call_argument_begin|>{"port": "Brest"}<|tool_call_end|>';

test('the openai SDK runs a tool that was called in the text', async () => {
  gateway.provider.respond(
    'any',
    sse([...pieces(kimi, 3).map((content) => chunk({ content })), finish('stop'), '[DONE]']),
  );
  const toolInputs: unknown[] = [];
  const runner = client.chat.completions.runTools({
    model: 'any',
    stream: true,
    messages: [{ role: 'user', content: 'When is high water in Brest?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_tide',
          description: 'The tide of a port',
          parameters: { type: 'object', properties: { port: { type: 'string' } } },
          parse: JSON.parse,
          function: (given: unknown) => {
            toolInputs.push(given);
            gateway.provider.respond('any', answer('At 14:10.'));
            return 'high water 14:10';
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe('At 14:10.');
  expect(toolInputs).toEqual([{ port: 'Brest' }]);
  expect(gateway.provider.calls.at(-1)?.body?.messages).toContainEqual(
    expect.objectContaining({ role: 'tool', tool_call_id: 'functions.get_tide:0' }),
  );
});

test('the markup family of a model is recognised by its name at the provider', async () => {
  expect(await send('acme/kimi-k2-instruct', kimi, { size: 4 })).toMatchObject({ finish: 'tool_calls' });
});

test('markup stays in the text with tool_format off', async () => {
  expect(await send('off', kimi, { size: 4 })).toMatchObject({ content: kimi, calls: [], finish: 'stop' });
});

test('a JSON body is parsed like a stream', async () => {
  const message = { role: 'assistant', content: `<think>hm</think>${kimi}` };
  gateway.provider.respond('any', json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  const { chunks } = await gateway.chat({ model: 'any', tools: offered });
  const deltas = chunks.flatMap(({ choices }) => choices);
  expect(deltas.flatMap(({ delta }) => delta.tool_calls ?? [])[0]).toMatchObject({ function: { name: 'get_tide' } });
  expect(deltas.map(({ delta }) => delta.reasoning_content ?? '').join('')).toBe('hm');
  expect(deltas.at(-1)?.finish_reason).toBe('tool_calls');
});

test('a call that is both in the text and in tool_calls is passed on once', async () => {
  const native = [
    { index: 0, id: 'call_a', type: 'function', function: { name: 'get_tide', arguments: '{"port": "Brest"}' } },
  ];
  const steps = [chunk({ tool_calls: native }), chunk({ content: kimi }), finish('tool_calls'), '[DONE]'];
  for (const order of [steps, [steps[1], steps[0], ...steps.slice(2)] as object[]]) {
    gateway.provider.respond('any', sse(order));
    const { chunks } = await gateway.chat({ model: 'any', tools: offered });
    const calls = chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(calls.filter((call) => call.id).length).toBe(1);
    expect(JSON.parse(calls.map((call) => call.function.arguments).join(''))).toEqual({ port: 'Brest' });
    expect(chunks.flatMap(({ choices }) => choices).some(({ delta }) => delta.content)).toBe(false);
  }
});

test('reasoning is dropped if the client disabled thinking', async () => {
  gateway.provider.respond('any', sse([chunk({ content: '<think>pondering</think>Hi' }), finish('stop'), '[DONE]']));
  const { text } = await gateway.chat({ model: 'any', thinking: { type: 'disabled' } });
  expect(text).not.toContain('pondering');
  expect(text).toContain('"content":"Hi"');
});

test('arguments are repaired with repair_arguments, and the record has a note', async () => {
  const broken = '<tool_call>{"name": "get_tide", "arguments": {"port": "Brest", "days": 3,}}</tool_call>';
  const { calls } = await send('repairing', broken, { size: 5 });
  expect(calls[0]?.arguments).toBe('{"port": "Brest", "days": 3}');
  const { calls: untouched } = await send('any', broken, { size: 5 });
  expect(untouched[0]?.arguments).toBe('{"port": "Brest", "days": 3,}');
  const { store } = gateway.gateway;
  await eventually(async () => {
    expect((await callSums(store)).get('repairing')).toEqual({ seen: 1, parsed: 0, repaired: 1, failed: 0 });
    expect((await callSums(store)).get('any')?.failed).toBe(1);
    const [record] = await listRequests(store, { model: 'repairing', limit: 1 });
    expect(record?.notes).toContain('tool-call arguments repaired');
  });
});

test('an answer with finish reason tool_calls and no call ends with stop', async () => {
  gateway.provider.respond('repairing', sse([chunk({ content: 'Hm.' }), finish('tool_calls'), '[DONE]']));
  const { chunks } = await gateway.chat({ model: 'repairing', tools: offered });
  expect(chunks.flatMap(({ choices }) => choices).at(-1)?.finish_reason).toBe('stop');
});
