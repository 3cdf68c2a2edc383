import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from '../depth.ts';
import { answer, chunk, endings, finish, sse, type SseStep, usage } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { bothPaths, warmGateway } from './both-paths.ts';

/** Each seed gives other streams. The name of a failing test contains the seed. */
const seed = Number(process.env['TEST_SEED'] ?? 1);
const count = isDeep ? 300 : 25;

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab \n"\\/<>{}é早😀\u0001\u2028'), maxLength: 12 }),
  fc.constantFrom('<think>', '</think>', '<tool_call>', '{"name":"get_weather","arguments":{}}', '</tool_call>', ''),
);

const toolCall = fc.record({
  index: fc.nat(1),
  id: fc.option(fc.constantFrom('call_1', 'call_2', ''), { nil: undefined }),
  type: fc.option(fc.constant('function'), { nil: undefined }),
  function: fc.record(
    { name: fc.constantFrom('get_weather', ''), arguments: fc.constantFrom('', '{', '"city":', '"Oslo"}', '{}') },
    { requiredKeys: [] },
  ),
});

const delta = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => ({ content })) },
  text.map((reasoning_content) => ({ reasoning_content })),
  text.map((reasoning) => ({ reasoning, content: null })),
  toolCall.map((call) => ({ tool_calls: [call] })),
  fc.constantFrom<Readonly<Record<string, unknown>>>(
    { role: 'assistant' },
    { role: 'assistant', content: '' },
    { refusal: 'no' },
    { own: [1] },
    {},
  ),
);

const tokens = fc.nat(300);
const step: fc.Arbitrary<SseStep> = fc.oneof(
  { weight: 12, arbitrary: delta.map((each) => chunk(each)) },
  fc.constantFrom<SseStep>(
    { raw: ': a comment\n\n' },
    { raw: 'event: message\nid: 7\n' },
    { raw: 'data:{"choices":[{"delta":{"content":"\\u00e9\\/"},"index":0}]}\r\n\r\n' },
    { raw: 'data: {"choices": [ {"index": 0, "delta": {"content": "spaced"} , "finish_reason": null} ] }\n\n' },
    { raw: 'data: {"choices":[{"index":1,"delta":{"content":"another choice"}}]}\n\n' },
    { choices: [], usage: null },
    { choices: [{ index: 0, delta: { content: 'x' }, logprobs: null }], system_fingerprint: 'f', usage: null },
  ),
  fc.tuple(tokens, tokens).map(([prompt, completion]) => usage(prompt, completion)),
  fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'odd').map((reason) => finish(reason)),
);

const ending = fc.constantFrom<readonly SseStep[]>(
  [finish('stop'), usage(7, 9), '[DONE]'],
  [finish('stop'), '[DONE]'],
  [finish('stop')],
  [usage(7, 9), '[DONE]'],
  ['[DONE]'],
  ['[DONE]', chunk({ content: 'after the end' })],
  [{ error: { message: 'no', type: 'server_error', code: 'oops' } }],
  ['garbage', 'garbage'],
  [endings.cut],
  [],
);

const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];
const stream = fc.record({
  steps: fc.array(step, { maxLength: 12 }),
  ending,
  split: fc.constantFrom('events' as const, 'whole' as const, 'bytes' as const),
  lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
  body: fc.constantFrom<object>({}, { tools }, { max_tokens: 5 }, { tools, max_tokens: 40 }, { temperature: 0.5 }),
});

const streams = fc.sample(stream, { seed, numRuns: count });
const modelsOf = (index: number) => ({ slow: `slow-${index}`, fast: `fast-${index}` });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await warmGateway(streams.flatMap((_, index) => Object.values(modelsOf(index))));
});
afterAll(() => gateway.stop());

test.each(streams.map((each, index) => [index, each] as const))(
  `random stream %i of seed ${seed}: the fast path sends, calls and records the same as the slow path`,
  async (index, { steps, ending: end, split, lineEnd, body }) => {
    const models = modelsOf(index);
    const script = [sse([...steps, ...end], { split, lineEnd }), answer('second try')];
    const { slow, fast } = await bothPaths(gateway, { script, body }, models);
    const renamed = (seen: unknown, name: string) => JSON.parse(JSON.stringify(seen).replaceAll(name, 'model'));
    expect(renamed(fast, models.fast)).toEqual(renamed(slow, models.slow));
  },
);
