import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decimalText } from '../../src/core/money.ts';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { chunk, finish, json, type ScriptedReply, sse, text, usage } from '../fakes/fake-provider.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';
import {
  framesOf,
  type GatewayReply,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../gateways/gateway.ts';
import { makeKey } from '../keys.ts';
import { messageLife } from '../message-life.ts';
import { responseLife } from '../response-life.ts';

let gateway: TestGateway;
/** The secret of a key with `report_cost`. */
let reporting: string;
/** The secret of a key without it. */
let silent: string;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      upstream('messages', { kind: 'anthropic', base_url: provider.url.replace('/v1', '') }),
      upstream('responses', { base_url: provider.url, quirks: { responses: 'only' } }),
    ],
    models: [
      model('chat'),
      model('messages', { routes: [{ upstream: 'messages' }] }),
      model('responses', { routes: [{ upstream: 'responses' }] }),
      model('embed', { endpoints: ['embeddings'], price: { input: '2', output: '0' } }),
    ],
    sites: [
      { name: 'main', domains: ['*'], models: ['*'] },
      { name: 'costs', domains: ['localhost'], models: ['*'], report_cost: true },
    ],
  }));
  const terms = { account: 'tester', name: 'costs', honourStreamFalse: true };
  reporting = (await makeKey(gateway.gateway, { ...terms, reportCost: true })).secret;
  silent = (await makeKey(gateway.gateway, terms)).secret;
});
afterAll(() => gateway.stop());

function upstream(name: string, more: object): object {
  return { name, kind: 'openai', api_key: 'sk-upstream-canary', timeouts: patientTimeouts, ...more };
}

/** The charge of every answer here: 100 tokens in and 10 out. */
const charge = '0.00012';

/** The answer of each provider, as one body. */
const bodies = {
  chat: {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  },
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'messages',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'responses',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'ok', annotations: [] }],
      },
    ],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  },
};

const named = (events: readonly Readonly<Record<string, unknown>>[]) =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const counts = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};
const messageStream = named([
  {
    type: 'message_start',
    message: { ...bodies.messages, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'message_delta' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...counts, output_tokens: 10 },
  },
  { type: 'message_stop' },
]);

const [item] = bodies.responses.output;
const started = { ...bodies.responses, status: 'in_progress', output: [], usage: null };
const responseStream = named([
  { type: 'response.created', response: started },
  { type: 'response.in_progress', response: started },
  { type: 'response.output_item.done', output_index: 0, item },
  { type: 'response.completed', response: bodies.responses },
]);

const streams: Record<Format, ScriptedReply> = {
  chat: sse([chunk({ role: 'assistant', content: 'ok' }), finish('stop'), usage(100, 10), '[DONE]']),
  messages: sse([{ raw: messageStream }]),
  responses: sse([{ raw: responseStream }]),
};

const formats = ['chat', 'messages', 'responses'] as const;
type Format = (typeof formats)[number];

beforeEach(() => {
  for (const format of formats) {
    const whole = json(200, bodies[format]);
    gateway.provider.respond(format, (writer, call) =>
      (call.body?.['stream'] === true ? streams[format] : whole)(writer, call),
    );
  }
});

const paths: Record<Format, string> = {
  chat: '/v1/chat/completions',
  messages: '/anthropic/v1/messages',
  responses: '/v1/responses',
};

/** Sends a request in the format of a surface to the provider with that name. */
function send(surface: Format, provider: string, stream: boolean, key: string): Promise<GatewayReply> {
  const messages = [{ role: 'user', content: 'hello' }];
  const content = surface === 'responses' ? { input: 'hello' } : { messages, max_tokens: 50 };
  const headers: Record<string, string> =
    surface === 'messages' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  return gateway.post(paths[surface], { model: provider, stream, ...content }, headers);
}

/** The last usage that the client gets. */
function lastUsage(surface: Format, stream: boolean, reply: GatewayReply): Record<string, unknown> {
  expect(reply.status, reply.text).toBe(200);
  if (!stream) return reply.json.usage;
  if (surface === 'chat') return framesOf(reply).chunks.at(-1).usage;
  const life = surface === 'messages' ? messageLife(reply.text).message : responseLife(reply.text).response;
  return life['usage'] as Record<string, unknown>;
}

/** The reply without the values that differ between two requests. */
function comparable(reply: GatewayReply): string {
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  return reply.text.replaceAll(id, 'ID').replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0');
}

const cases = formats.flatMap((surface) =>
  formats.flatMap((provider) => [true, false].map((stream) => ({ surface, provider, stream }))),
);

describe.each(cases)(
  'the $surface surface on a $provider provider, stream: $stream',
  ({ surface, provider, stream }) => {
    test('a key with `report_cost` gets the charge, and nothing else differs', async () => {
      const reply = await send(surface, provider, stream, reporting);
      expect(lastUsage(surface, stream, reply)['cost']).toBe(charge);
      expect(reply.headers.get('x-gateway-cost')).toBe(stream ? null : charge);
      const id = reply.headers.get('x-gateway-request-id') ?? '';
      const record = () => findRequest(gateway.gateway.store, id);
      await expect.poll(async () => (await record())?.cost).toBeDefined();
      expect(decimalText((await record())?.cost ?? -1n)).toBe(charge);

      const without = await send(surface, provider, stream, silent);
      expect(lastUsage(surface, stream, without)).not.toHaveProperty('cost');
      expect(without.headers.get('x-gateway-cost')).toBeNull();
      expect(comparable(reply).replace(`,"cost":"${charge}"`, '')).toBe(comparable(without));
    });
  },
);

test('a site with `report_cost` reports the charge to all keys', async () => {
  const request = { model: 'messages', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
  const reply = await fetch(`http://localhost:${gateway.port}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  expect(await reply.json()).toMatchObject({ usage: { input_tokens: 100, output_tokens: 10, cost: charge } });
  expect(reply.headers.get('x-gateway-cost')).toBe(charge);
  expect(reply.headers.get('access-control-expose-headers')).toContain('x-gateway-cost');
});

test('a stream of the messages format keeps all bytes of the provider but the usage, for every split', async () => {
  const expected = messageStream.replace('"output_tokens":10}', `"output_tokens":10,"cost":"${charge}"}`);
  for (const split of ['whole', 'events', 'bytes'] as const) {
    gateway.provider.respond('messages', sse([{ raw: messageStream }], { split }));
    expect([split, (await send('messages', 'messages', true, reporting)).text]).toEqual([split, expected]);
  }
});

test('a cost that the provider reports is never sent; with `report_cost`, the charge is', async () => {
  const cost = 0.5;
  const usage = { cost, input_tokens: 100, output_tokens: 10 };
  gateway.provider.respond('messages', json(200, { ...bodies.messages, usage }));
  const body = (used: object) => JSON.stringify({ ...bodies.messages, usage: used });
  const { cost: _, ...counts } = usage;
  expect((await send('messages', 'messages', false, gateway.key)).text).toBe(body(counts));
  expect((await send('messages', 'messages', false, reporting)).text).toBe(body({ ...counts, cost: charge }));
  gateway.provider.respond('responses', json(200, { ...bodies.responses, usage: { ...bodies.responses.usage, cost } }));
  expect((await send('responses', 'responses', false, gateway.key)).json.usage).not.toHaveProperty('cost');
  expect((await send('responses', 'responses', false, reporting)).json.usage.cost).toBe(charge);
});

test('requests of a key with `report_cost` do not take the fast path', async () => {
  await warmFastPath(gateway, 'chat');
  gateway.provider.respond('chat', streams.chat);
  expect(lastUsage('chat', true, await send('chat', 'chat', true, gateway.key))).not.toHaveProperty('cost');
  for (let again = 0; again < 3; again += 1) {
    expect(lastUsage('chat', true, await send('chat', 'chat', true, reporting))['cost']).toBe(charge);
    expect(isInFastPath()).toBe(false);
  }
});

test('a retry that joins an answer gets the charge of the first request', async () => {
  const body = { model: 'chat', stream: false, messages: [{ role: 'user', content: 'hello' }] };
  const headers = { authorization: `Bearer ${reporting}`, 'idempotency-key': 'cost 1' };
  const first = await gateway.post(paths.chat, body, headers);
  const second = await gateway.post(paths.chat, body, headers);
  expect(second.text).toBe(first.text);
  expect([first, second].map((reply) => reply.headers.get('x-gateway-cost'))).toEqual([charge, charge]);
});

test('a pass-through answer has the charge in its header only', async () => {
  const answer = JSON.stringify({ object: 'list', data: [], usage: { prompt_tokens: 10, total_tokens: 10 } });
  gateway.provider.respond('embed', text(200, 'application/json', answer));
  const embed = (more: Record<string, string>) => gateway.post('/v1/embeddings', { model: 'embed', input: 'x' }, more);
  const key = { authorization: `Bearer ${reporting}` };
  for (const headers of [key, { ...key, 'idempotency-key': 'cost 2' }]) {
    const reply = await embed(headers);
    expect([reply.text, reply.headers.get('x-gateway-cost')]).toEqual([answer, '0.00002']);
  }
  const without = await embed({});
  expect([without.text, without.headers.get('x-gateway-cost')]).toEqual([answer, null]);
});
