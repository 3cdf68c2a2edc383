import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../../src/money/accounts/ids.ts';
import { keys } from '../../../src/money/accounts/keys.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { chunk, finish, gate, json as reply, sse, usage } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { responseLife } from '../../response-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    batches: { background_max: 3 },
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'native', kind: 'openai', base_url: provider.url, quirks: { responses: true } },
      { name: 'messages', kind: 'anthropic', base_url: provider.url },
    ],
    models: [
      ...(base['models'] as object[]),
      model('speaker', { routes: [{ upstream: 'native' }] }),
      model('reporter', { routes: [{ upstream: 'messages' }] }),
    ],
    accounts: [...(base['accounts'] as object[]), { name: 'other', package: 'standard' }],
  }));
});
afterAll(() => gateway.stop());

const framesIn = (text: string) => text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
const statuses = /^(completed|failed|incomplete|cancelled)$/;

const create = (body: object, headers?: Record<string, string>) =>
  gateway.post('/v1/responses', { model: 'plain', input: 'hello', background: true, ...body }, headers);
const read = async (id: string) => (await gateway.get(`/v1/responses/${id}`)).json;

async function ended(id: string) {
  await expect.poll(async () => (await read(id)).status, { message: 'the response ends' }).toMatch(statuses);
  return read(id);
}

/** Follows a stream. `text` is what has arrived so far. */
function follow(path: string, body?: object, { url, key } = gateway) {
  const leaving = new AbortController();
  const received = { text: '', isOver: false };
  const over = (async () => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: leaving.signal,
    });
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) received.text += piece;
    received.isOver = true;
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  const receives = async (words: string) => {
    await expect.poll(() => received.text).toContain(words);
  };
  return { received, over, receives, leave: () => leaving.abort() };
}

const charges = async () =>
  gateway.gateway.store.db.selectFrom('transfers').selectAll().where('kind', '=', 'charge').execute();

test('a response in the background is created at once, runs, is charged once and is a stored response then', async () => {
  const before = (await charges()).length;
  const { status: code, json } = await create({ metadata: { a: 'b' } });
  expect(code).toBe(200);
  expect(json).toMatchObject({ status: 'queued', background: true, output: [], usage: null, metadata: { a: 'b' } });
  const response = await ended(json.id);
  expect(response).toMatchObject({ id: json.id, status: 'completed', background: true, created_at: json.created_at });
  expect(response.output[0].content[0].text).toBe('Hello there, friend');
  expect((await charges()).length).toBe(before + 1);
  const next = await gateway.post('/v1/responses', { model: 'plain', previous_response_id: json.id, input: 'again' });
  expect(next.status).toBe(200);
  expect((await gateway.get(`/v1/responses/${json.id}/input_items`)).json.data).toMatchObject([{ role: 'user' }]);
  const foreign = { authorization: `Bearer ${await gateway.newKey({ account: 'other' })}` };
  expect((await gateway.get(`/v1/responses/${json.id}`, foreign)).status).toBe(404);
});

test('its events are numbered from its creation, and every resumed stream equals the rest of the full one', async () => {
  const [half, rest] = [gate(), gate()];
  const steps = [chunk({ content: 'Hello' }), half.opened, chunk({ content: ' there' }), rest.opened];
  gateway.provider.respond('other', sse([...steps, finish('stop'), usage(3, 2), '[DONE]']));
  const first = follow('/v1/responses', { model: 'other', input: 'hello', background: true, stream: true });
  await first.receives('"delta":"Hello"');
  const path = `/v1/responses/${/"id":"(resp_\w+)"/.exec(first.received.text)![1]!}`;
  expect((await gateway.get(path)).json).toMatchObject({ status: 'in_progress', output: [{ status: 'in_progress' }] });
  const early = follow(`${path}?stream=true`);
  await early.receives('"delta":"Hello"');
  const leaving = follow(`${path}?stream=true&starting_after=1`);
  await leaving.receives('"delta":"Hello"');
  // Clients that leave do not end it.
  leaving.leave();
  first.leave();
  half.open();
  await early.receives('"delta":" there"');
  const late = [0, 2, 4, 5, 7].map((number) => follow(`${path}?stream=true&starting_after=${number}`));
  for (const each of late.slice(0, 4)) await each.receives('"delta":" there"');
  rest.open();
  for (const each of [early, ...late]) await each.over;
  const full = (await gateway.get(`${path}?stream=true`)).text;
  const { response, events } = responseLife(full);
  expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
    'response.created',
    'response.queued',
    'response.in_progress',
  ]);
  const frames = framesIn(full);
  expect(framesIn(early.received.text)).toEqual(frames);
  expect(late.map(({ received }) => framesIn(received.text))).toEqual(
    [1, 3, 5, 6, 8].map((from) => frames.slice(from)),
  );
  expect(framesIn(first.received.text)).toEqual(frames.slice(0, framesIn(first.received.text).length));
  expect((await gateway.get(path)).json).toEqual(response);
});

test('a stream that its client reads from the creation to the end is complete', async () => {
  const { text } = await create({ stream: true });
  const { response } = responseLife(text);
  expect(response).toMatchObject({ status: 'completed', background: true });
  expect(await read(String(response['id']))).toEqual(response);
});

test('a response that waits for a slot is queued, one that runs is in progress, and both can be cancelled twice', async () => {
  gateway.provider.respond('other', sse([chunk({ content: 'Hel' }), gate().opened]));
  const { json: running } = await create({ model: 'other' });
  await expect.poll(async () => (await read(running.id)).status).toBe('in_progress');
  await expect.poll(async () => (await read(running.id)).output.length).toBe(1);
  const follower = follow(`/v1/responses/${running.id}?stream=true`);
  await follower.receives('"delta":"Hel"');
  const cancel = async (id: string) => gateway.post(`/v1/responses/${id}/cancel`, {});
  const { status: code, json } = await cancel(running.id);
  expect(code).toBe(200);
  expect(json).toMatchObject({ id: running.id, status: 'cancelled', error: null });
  expect((await cancel(running.id)).json.status).toBe('cancelled');
  // The reply waits 5 s for the end of the response, which has its usage. The stream ends only with it.
  await follower.over;
  const usage = { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } };
  const stored = await read(running.id);
  expect(stored).toMatchObject({ status: 'cancelled', usage, output: [{ content: [{ text: 'Hel' }] }] });
  expect((await cancel(running.id)).json).toEqual(stored);
  expect(follower.received.text).toContain('event: response.cancelled\n');
  expect((await gateway.get(`/v1/responses/${running.id}?stream=true`)).text).toBe(
    follower.received.text.replaceAll(': keep-alive\n\n', ''),
  );
  const { json: complete } = await create({});
  await ended(complete.id);
  expect((await cancel(complete.id)).json.status).toBe('completed');
  const { json: ordinary } = await create({ background: false });
  expect((await cancel(ordinary.id)).status).toBe(400);
});

test('a cancelled response has the cache writes that the provider reported until then', async () => {
  const event = (value: { readonly type: string; readonly [name: string]: unknown }) => ({
    raw: `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`,
  });
  const counts = { input_tokens: 19, cache_read_input_tokens: 4, cache_creation_input_tokens: 7, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: counts };
  const begun = [
    event({ type: 'message_start', message }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  ];
  gateway.provider.respond('reporter', sse([...begun, gate().opened]));
  const { json } = await create({ model: 'reporter' });
  const follower = follow(`/v1/responses/${json.id}?stream=true`);
  await follower.receives('"delta":"Hel"');
  await gateway.post(`/v1/responses/${json.id}/cancel`, {});
  await follower.over;
  const details = { cached_tokens: 4, cache_write_tokens: 7 };
  expect((await read(json.id)).usage).toMatchObject({ input_tokens: 30, input_tokens_details: details });
});

test('a response that fails has the error, in its object and in its events', async () => {
  gateway.provider.respond('other', reply(400, { error: { message: 'no' } }));
  const { json } = await create({ model: 'other' });
  const failed = await ended(json.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_prompt' }, output: [], usage: null });
  const { text } = await gateway.get(`/v1/responses/${json.id}?stream=true`);
  const life = responseLife(text);
  expect(life.response).toEqual(failed);
  expect(life.error).toMatchObject({ code: 'invalid_prompt' });
});

test('events of a provider of the same format keep the numbers and the response of their creation', async () => {
  const theirs = {
    id: 'resp_theirs',
    object: 'response',
    created_at: 1,
    model: 'theirs',
    background: false,
    output: [],
  };
  const part = { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const counts = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
  const events: [string, object][] = [
    ['response.created', { response: { ...theirs, status: 'in_progress', temperature: 0.5 } }],
    ['response.in_progress', { response: { ...theirs, status: 'in_progress', temperature: 0.5 } }],
    ['response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } }],
    ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
    ['response.output_text.delta', { ...at, delta: 'Hi', logprobs: [] }],
    ['response.output_text.done', { ...at, text: 'Hi', logprobs: [] }],
    ['response.content_part.done', { ...at, part }],
    ['response.output_item.done', { output_index: 0, item: message }],
    [
      'response.completed',
      { response: { ...theirs, status: 'completed', temperature: 0.5, output: [message], usage: counts } },
    ],
  ];
  const frames = events.map(([type, fields]) => ({
    raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
  }));
  gateway.provider.respond('speaker', sse(frames));
  const { text } = await create({ model: 'speaker', stream: true });
  const { response } = responseLife(text);
  expect(response).toMatchObject({ status: 'completed', background: true, model: 'speaker', temperature: 0.5 });
  const path = `/v1/responses/${String(response['id'])}`;
  expect(framesIn((await gateway.get(`${path}?stream=true`)).text)).toEqual(framesIn(text));
  expect(gateway.provider.calls.at(-1)!.body).not.toHaveProperty('background');
});

test('a response of an account without money is refused at once', async () => {
  const headers = { authorization: `Bearer ${await gateway.newKey({ account: 'other' })}` };
  const { status, json } = await create({}, headers);
  expect([status, json.error.code]).toEqual([402, 'insufficient_balance']);
});

test('a response whose key is revoked while it waits fails with the reason', async () => {
  const second = await gateway.newKey();
  gateway.provider.respond('other', sse([gate().opened]));
  const { json } = await create({ model: 'other' }, { authorization: `Bearer ${second}` });
  await expect.poll(async () => (await read(json.id)).status).toBe('in_progress');
  const { db } = gateway.gateway.store;
  const { key_id: id } = await db
    .selectFrom('batches')
    .select('key_id')
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { terminateStreams: true });
  expect(await ended(json.id)).toMatchObject({ status: 'failed', error: { code: 'invalid_api_key' } });
});

test('a gateway that stops completes the response that it generates, and its readers get the end', async () => {
  const stopping = await startTestGateway();
  const open = gate();
  const steps = [chunk({ content: 'Hello' }), open.opened, chunk({ content: ' there' })];
  stopping.provider.respond('plain', sse([...steps, finish('stop'), usage(3, 2), '[DONE]']));
  const reader = follow('/v1/responses', { model: 'plain', input: 'hello', background: true, stream: true }, stopping);
  await reader.receives('"delta":"Hello"');
  const stopped = stopping.gateway.stop({ graceMs: 30_000 });
  open.open();
  await reader.over;
  expect(responseLife(reader.received.text).response).toMatchObject({ status: 'completed' });
  await stopped;
  await stopping.stop();
});

test('an invalid request is refused at once', async () => {
  expect((await create({ store: false })).json.error.message).toContain(
    'background must not be true with store: false',
  );
  expect((await create({ model: 'unheard-of' })).status).toBe(403);
  expect((await create({ previous_response_id: 'resp_nothing' })).json.error.code).toBe('previous_response_not_found');
  gateway.provider.respond('other', sse([gate().opened]));
  const { json: running } = await create({ model: 'other' });
  const { json: early } = await create({ previous_response_id: running.id });
  expect(early.error).toMatchObject({
    code: 'previous_response_not_found',
    message: expect.stringContaining('has not ended'),
  });
  await gateway.post(`/v1/responses/${running.id}/cancel`, {});
});

test('an account has a limited number of them, and a key with Idempotency-Key begins one', async () => {
  const opened = gate();
  gateway.provider.respond(
    'other',
    sse([opened.opened, chunk({ content: 'hi' }), finish('stop'), usage(1, 1), '[DONE]']),
  );
  const headers = { 'idempotency-key': 'one' };
  const ids: string[] = [(await create({ model: 'other' }, headers)).json.id];
  expect((await create({ model: 'other' }, headers)).json.id).toBe(ids[0]);
  for (let each = 0; each < 2; each += 1) ids.push((await create({ model: 'other' })).json.id);
  const refused = await create({ model: 'other' });
  expect([refused.status, refused.json.error.message]).toEqual([503, expect.stringContaining('3 responses')]);
  expect(
    (
      await fetch(`${gateway.url}/v1/responses/${ids[0]}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${gateway.key}` },
      })
    ).status,
  ).toBe(409);
  opened.open();
  for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed' });
  expect((await create({})).status).toBe(200);
});

test('nothing of an ended response is left but the stored response', async () => {
  const { json } = await create({});
  await ended(json.id);
  const { db } = gateway.gateway.store;
  await expect.poll(async () => (await db.selectFrom('batch_lines').selectAll().execute()).length).toBe(0);
  await expect.poll(async () => (await db.selectFrom('files').selectAll().execute()).length).toBe(0);
  await expect
    .poll(async () => new Set((await db.selectFrom('sealed_blobs').select('kind').execute()).map(({ kind }) => kind)))
    .toEqual(new Set(['responses']));
});
