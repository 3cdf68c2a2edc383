import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { countsTokens } from '../counted-tokens.ts';
import { isDeep } from '../depth.ts';
import { answer, chunk, endings, finish, json, raw, reset, type Reply, sse, text, usage } from '../fake-provider.ts';
import { makeKey } from '../keys.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../gateway.ts';
import { isInLane, warmLane, watchedLane } from './warm-lane.ts';

const take = watchedLane();

/** A gateway that knows the key and has money at hand. Each model has an upstream of its own: one's trouble is never another's. */
async function warmGateway(models: readonly string[] = ['asked']): Promise<TestGateway> {
  const gateway = await startTestGateway((base, provider) => ({
    ...base,
    stored_bodies: {},
    upstreams: ['warm', ...models].map((name) => ({
      name,
      kind: 'openai',
      base_url: provider.url,
      timeouts: patientTimeouts,
    })),
    models: ['warm', ...models].map((name) =>
      model(name, { price: { input: '1', output: '2' }, routes: [{ upstream: name }] }),
    ),
  }));
  // An answer without usage is counted the same on both ways only once the tokenizer has loaded.
  await countsTokens(gateway, 'warm');
  await warmLane(gateway, 'warm');
  return gateway;
}

let warm: TestGateway;
beforeAll(async () => {
  warm = await warmGateway(['asked', ...faults.flatMap((_, index) => [`general-${index}`, `lane-${index}`])]);
});
afterAll(() => warm.stop());

const lanePath = '/v1/chat/completions';
/** With a query a request is not plain, and means the same. */
const generalPath = '/v1/chat/completions?';

/** All that is seen of one request, but for its name and the time. */
async function outcome(gateway: TestGateway, path: string, body: object) {
  const calls = gateway.provider.calls.length;
  const reply = await asked(gateway, path, { messages: [{ role: 'user', content: 'hello' }], stream: true, ...body });
  await expect.poll(() => gateway.gateway.alive()).toMatchObject({ answers: 0, requests: 0, holds: 0 });
  const id = String(reply.headers['x-gateway-request-id']);
  return {
    id,
    status: reply.status,
    headers: Object.entries(reply.headers).filter(([name]) => !named.has(name)),
    text: nameless(reply.text, id),
    calls: gateway.provider.calls.slice(calls).map(({ body: sent }) => sent),
  };
}

const named = new Set(['date', 'x-gateway-request-id', 'x-gateway-version', 'content-length']);

/** On a connection of its own: one that has brought something unusual is not taken by the lane any more. */
async function asked(
  gateway: TestGateway,
  path: string,
  body: object,
): Promise<Pick<IncomingMessage, 'headers'> & { status: number; text: string }> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const sent = JSON.stringify(body);
  const agent = new Agent({ keepAlive: true });
  const request = httpRequest({ port: gateway.port, path, method: 'POST', agent, headers }).end(sent);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { headers: answered, statusCode: status = 0 } = response;
  const text = (await response.setEncoding('latin1').toArray()).join('');
  agent.destroy();
  return { status, headers: answered, text };
}

async function recordOf(gateway: TestGateway, id: string) {
  const find = () =>
    gateway.gateway.store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
  await expect.poll(find).toBeDefined();
  const row = await find();
  if (!row) return undefined;
  const times = [row.first_byte_ms, row.wait_ms].map((ms) => ms !== null);
  return { ...row, ...anyOnes, times, trail: row.trail?.replace(/"(\w+Ms)":\d+/g, '"$1":0') };
}

/** What differs from request to request. */
const anyOnes = { id: 0, account_id: 0, key_id: 0, started_at: 0, first_byte_ms: 0, duration_ms: 0, wait_ms: 0 };

function nameless(said: string, id: string): string {
  return said.replaceAll(id, 'the-id').replace(/"created":\d+/g, '"created":0');
}

const recorded = new URL('../../src/dialects/chat-completions/fixtures/', import.meta.url);
const streams = readdirSync(recorded).filter((name) => name.endsWith('.sse'));
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];

function pieces(bytes: Buffer, size: number): { raw: Buffer }[] {
  const list: { raw: Buffer }[] = [];
  for (let at = 0; at < bytes.length; at += size) list.push({ raw: bytes.subarray(at, at + size) });
  return list;
}

/** How a recorded stream comes, and what its client offers: in the fast suite each is there once. */
const splits: readonly (readonly [size: number, body: object])[] = isDeep
  ? [1 << 20, 400, 37].flatMap((size) => [{}, { tools }].map((body) => [size, body] as const))
  : [
      [1 << 20, { tools }],
      [37, {}],
    ];

type Case = readonly [name: string, script: readonly Reply[], body: object];

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
  ['no usage', [sse([chunk({ content: 'only words' }), finish('length'), '[DONE]'])], {}],
  ['no end but a finish', [sse([chunk({ content: 'words' }), finish('stop')])], {}],
  ['nothing but a finish', [sse([chunk({ role: 'assistant' }), finish('stop'), usage(3, 0), '[DONE]'])], {}],
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
    const said = 'Words — 山里的天气 😀 “so” \\ and\n more. '.repeat(5);
    return [`an answer past its cap, split into ${split}`, [answer(said, { split })], { max_tokens: 9 }];
  }),
  ['an answer within its cap', [answer('One two three')], { max_tokens: 20 }],
  [
    'an answer past its cap that goes on for ever',
    [sse([...Array.from({ length: 40 }, () => chunk({ content: 'and so on ' })), endings.hang])],
    { max_tokens: 5 },
  ],
  [
    'a call past its cap',
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

/** What goes wrong leaves traces: providers are rested, retries are counted. */
const faults: readonly Case[] = [
  ['an empty stream', [sse(['[DONE]'])], {}],
  ['a stream without a word', [sse([])], {}],
  ['one that breaks off before content', [sse([chunk({ role: 'assistant' }), endings.cut]), answer('second try')], {}],
  ['one that breaks off after content', [sse([chunk({ content: 'half' }), endings.cut])], {}],
  ['one that is reset after content', [sse([chunk({ content: 'half' }), endings.reset])], {}],
  [
    'an error instead of an answer',
    [sse([{ error: { message: 'no', type: 'server_error' } }]), answer('second try')],
    {},
  ],
  ['an error after content', [sse([chunk({ content: 'half' }), { error: { message: 'no', code: 'oops' } }])], {}],
  ['garbage', [sse(Array.from({ length: 20 }, () => 'garbage')), answer('second try')], {}],
  ['garbage after content', [sse([chunk({ content: 'half' }), ...Array.from({ length: 20 }, () => 'garbage')])], {}],
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

/** What comes of a request to a provider that replies so, one after another. */
async function replayed(path: string, [, script, body]: Case, name: string) {
  let turn = 0;
  warm.provider.respond(name, (writer, call) => script[Math.min(turn++, script.length - 1)]!(writer, call));
  const before = take.mock.results.length;
  const seen = await outcome(warm, path, { model: name, ...body });
  expect(take.mock.results.slice(before).some(({ value }) => value === true)).toBe(path === lanePath);
  return seen;
}
afterEach(() => expectAtRest(warm.gateway));

/** What comes of it on each way, with what is kept of it: both records are written in one go. */
async function bothWays(each: Case, names: { readonly general: string; readonly lane: string }) {
  const ways = [await replayed(generalPath, each, names.general), await replayed(lanePath, each, names.lane)];
  const [general, lane] = await Promise.all(
    ways.map(async ({ id, ...seen }) => ({ ...seen, record: await recordOf(warm, id) })),
  );
  return { general, lane };
}

test.each(answers)('%s: the same bytes, the same calls, the same record', async (...each) => {
  const { general, lane } = await bothWays(each, { general: 'asked', lane: 'asked' });
  expect(lane).toEqual(general);
});

test('a provider that goes on past its cap is let go before its client hears the end', async () => {
  const [, script] = answers.find(([name]) => name === 'an answer past its cap that goes on for ever')!;
  warm.provider.respond('asked', ...script);
  await asked(warm, lanePath, { model: 'asked', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] });
  expect(isInLane()).toBe(true);
  // Another request there and back: whatever its socket has to tell by now is told.
  await warm.chat({ model: 'warm' });
  expect(warm.provider.calls.findLast(({ key }) => key === 'asked')).toHaveProperty('isAborted', true);
});

test('a key whose bodies are stored never takes the lane, however well it is known', async () => {
  const { secret } = await makeKey(warm.gateway, { account: 'tester', name: 'storing', storeBodies: true });
  const stored = () => warm.gateway.store.db.selectFrom('stored_bodies').select('request_id').execute();
  take.mockClear();
  for (let requests = 1; requests <= 3; requests += 1) {
    await warm.chat({ model: 'warm' }, { authorization: `Bearer ${secret}` });
    await expect.poll(async () => new Set((await stored()).map((row) => row.request_id)).size).toBe(requests);
  }
  expect(take.mock.results.map(({ value }) => value)).toEqual([false, false, false]);
});

describe('what goes wrong', () => {
  /** With a model that no other request has asked for, under one name for both ways. */
  const renamed = (seen: unknown, name: string): unknown => JSON.parse(JSON.stringify(seen).replaceAll(name, 'faulty'));

  test.each(faults.map((each, index) => [each[0], each, index] as const))(
    '%s: the same words, the same calls, the same record',
    async (_name, each, index) => {
      const names = { general: `general-${index}`, lane: `lane-${index}` };
      const { general, lane } = await bothWays(each, names);
      expect(renamed(lane, names.lane)).toEqual(renamed(general, names.general));
    },
  );
});
