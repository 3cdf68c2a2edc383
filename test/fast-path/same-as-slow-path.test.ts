import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { isDeep } from '../depth.ts';
import {
  answer,
  chunk,
  endings,
  finish,
  json,
  raw,
  reset,
  type ScriptedReply,
  sse,
  text,
  usage,
} from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { sendChat, bothPaths, fastPath, warmGateway } from './both-paths.ts';
import { isInFastPath, watchedFastPath } from './warm-fast-path.ts';

const take = watchedFastPath();

let warm: TestGateway;
beforeAll(async () => {
  warm = await warmGateway(['asked', ...faults.flatMap((_, index) => [`general-${index}`, `fastPath-${index}`])]);
});
afterAll(() => warm.stop());

const recorded = new URL('../fixtures/dialects/chat-completions/', import.meta.url);
const streams = readdirSync(recorded).filter((name) => name.endsWith('.sse'));
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];

function pieces(bytes: Buffer, size: number): { raw: Buffer }[] {
  const list: { raw: Buffer }[] = [];
  for (let at = 0; at < bytes.length; at += size) list.push({ raw: bytes.subarray(at, at + size) });
  return list;
}

/** The sizes of the pieces of a recorded stream, and the client's options. The fast suite uses each value once. */
const splits: readonly (readonly [size: number, body: object])[] = isDeep
  ? [1 << 20, 400, 37].flatMap((size) => [{}, { tools }].map((body) => [size, body] as const))
  : [
      [1 << 20, { tools }],
      [37, {}],
    ];

type Case = readonly [name: string, script: readonly ScriptedReply[], body: object];

const answers: readonly Case[] = [
  ...streams.flatMap((name) => {
    const bytes = readFileSync(new URL(name, recorded));
    return splits.map(
      ([size, body]) =>
        [
          `${name} in pieces of ${size}, ${Object.keys(body).join() || 'no tools'}`,
          [sse(pieces(bytes, size))],
          body,
        ] as const,
    );
  }),
  ['an answer, a write per chunk', [answer('What a day — “naïve” 😀 <tool_call> it is')], {}],
  ['an answer in one write', [answer('One two three', { split: 'whole' })], {}],
  ['an answer byte by byte', [answer('héllo 😀', { split: 'bytes' })], {}],
  [
    'escapes',
    [
      sse([
        chunk({ content: 'a\n"b"\\ \u0001' }),
        { raw: 'data: {"choices":[{"index":0,"delta":{"content":"\\u00e9\\/"}}]}\n\n' },
        finish('stop'),
        '[DONE]',
      ]),
    ],
    {},
  ],
  ['tags', [answer('One two')], { metadata: { team: 'search', tags: ['beta', 'x'.repeat(99)] } }],
  ['no usage', [sse([chunk({ content: 'only words' }), finish('length'), '[DONE]'])], {}],
  ['a finish without [DONE]', [sse([chunk({ content: 'words' }), finish('stop')])], {}],
  ['only a finish', [sse([chunk({ role: 'assistant' }), finish('stop'), usage(3, 0), '[DONE]'])], {}],
  [
    'a tool call',
    [
      sse([
        chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'get_weather', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
        finish('tool_calls'),
        '[DONE]',
      ]),
    ],
    { tools },
  ],
  ...(['whole', 'bytes', 'events'] as const).map((split): Case => {
    const content = 'Words — 山里的天气 😀 “so” \\ and\n more. '.repeat(2);
    return [`an answer above max_tokens, split into ${split}`, [answer(content, { split })], { max_tokens: 9 }];
  }),
  ['an answer within max_tokens', [answer('One two three')], { max_tokens: 20 }],
  [
    'an endless answer above max_tokens',
    [sse([...Array.from({ length: 40 }, () => chunk({ content: 'and so on ' })), endings.hang])],
    { max_tokens: 5 },
  ],
  [
    'a call above max_tokens',
    [
      sse([
        chunk({ reasoning_content: 'hm '.repeat(10) }),
        chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'get_weather', arguments: '' } }] }),
        ...Array.from({ length: 40 }, () => chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] })),
        finish('tool_calls'),
        usage(3, 300),
        '[DONE]',
      ]),
    ],
    { tools, max_tokens: 9 },
  ],
  [
    'reasoning',
    [sse([chunk({ reasoning_content: 'hm' }), chunk({ content: 'yes' }), finish('stop'), usage(1, 2), '[DONE]'])],
    {},
  ],
];

/** Faults change state: cooldowns start and retries are counted. */
const faults: readonly Case[] = [
  ['an empty stream', [sse(['[DONE]'])], {}],
  ['a stream without frames', [sse([])], {}],
  ['a stream interrupted before content', [sse([chunk({ role: 'assistant' }), endings.cut]), answer('second try')], {}],
  ['a stream interrupted after content', [sse([chunk({ content: 'half' }), endings.cut])], {}],
  ['a stream reset after content', [sse([chunk({ content: 'half' }), endings.reset])], {}],
  [
    'an error instead of an answer',
    [sse([{ error: { message: 'no', type: 'server_error' } }]), answer('second try')],
    {},
  ],
  ['an error after content', [sse([chunk({ content: 'half' }), { error: { message: 'no', code: 'oops' } }])], {}],
  ['malformed events', [sse(Array.from({ length: 20 }, () => 'garbage')), answer('second try')], {}],
  [
    'malformed events after content',
    [sse([chunk({ content: 'half' }), ...Array.from({ length: 20 }, () => 'garbage')])],
    {},
  ],
  [
    'a body of JSON',
    [json(200, { choices: [{ index: 0, message: { content: 'whole' }, finish_reason: 'stop' }] })],
    {},
  ],
  ['a page', [text(200, 'text/html', '<p>'), answer('second try')], {}],
  ['a redirect', [text(302, 'text/plain', '', { location: '/' }), answer('second try')], {}],
  ['400', [json(400, { error: { message: 'bad field', type: 'invalid_request_error', param: 'x' } })], {}],
  ['401', [json(401, { error: { message: 'bad key' } })], {}],
  [
    '429 and then an answer',
    [json(429, { error: { message: 'slow' } }, { 'retry-after': '0' }), answer('second try')],
    {},
  ],
  ['500 and then an answer', [json(500, {}), answer('second try')], {}],
  ['a reset', [reset(), answer('second try')], {}],
  ['no HTTP', [raw('what?'), answer('second try')], {}],
];

afterEach(() => expectAtRest(warm.gateway));

test.each(answers)('%s: the same bytes, the same calls, the same record', async (_name, script, body) => {
  const { slow, fast } = await bothPaths(warm, { script, body }, { slow: 'asked', fast: 'asked' });
  expect(fast).toEqual(slow);
});

test('the call of a provider above max_tokens is aborted before the client gets the end', async () => {
  const [, script] = answers.find(([name]) => name === 'an endless answer above max_tokens')!;
  warm.provider.respond('asked', ...script);
  await sendChat(warm, fastPath, { model: 'asked', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] });
  expect(isInFastPath()).toBe(true);
  // After this round trip the fake provider has received the abort.
  await warm.chat({ model: 'warm' });
  expect(warm.provider.calls.findLast(({ key }) => key === 'asked')).toHaveProperty('isAborted', true);
});

test('requests of a key with stored bodies never take the fast path, also with a cached key', async () => {
  const { secret } = await makeKey(warm.gateway, { account: 'tester', name: 'storing', storeBodies: true });
  const stored = () => warm.gateway.store.db.selectFrom('sealed_blobs').select('id').execute();
  take.mockClear();
  for (let requests = 1; requests <= 3; requests += 1) {
    await warm.chat({ model: 'warm' }, { authorization: `Bearer ${secret}` });
    await expect.poll(async () => new Set((await stored()).map((row) => row.id)).size).toBe(requests);
  }
  expect(take.mock.results.map(({ value }) => value)).toEqual([false, false, false]);
});

describe('faults', () => {
  /** Replaces the model name, because each path uses its own model, which no other request uses. */
  const renamed = (seen: unknown, name: string): unknown => JSON.parse(JSON.stringify(seen).replaceAll(name, 'faulty'));

  test.each(faults.map((each, index) => [each[0], each, index] as const))(
    '%s: the same reply, the same calls, the same record',
    async (_name, [, script, body], index) => {
      const models = { slow: `general-${index}`, fast: `fastPath-${index}` };
      const { slow, fast } = await bothPaths(warm, { script, body }, models);
      expect(renamed(fast, models.fast)).toEqual(renamed(slow, models.slow));
    },
  );
});
