import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedResponses } from '../../../src/work/responses/stored-responses.ts';
import { expectEnvelope } from '../../expectations.ts';
import { answer, chunk, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { responseLife } from '../../response-life.ts';
import { accept, refuse } from '../../stores/poison.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    upstreams: (base['upstreams'] as object[]).map((each) => ({ ...each, quirks: { reasoning_replay: true } })),
    accounts: [...(base['accounts'] as object[]), { name: 'stranger', package: 'standard', credit: '5.00' }],
  }));
});
afterAll(() => gateway.stop());

const create = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  gateway.post('/v1/responses', { model: 'plain', input: 'hello', ...body }, headers);

const send = async (method: string, path: string, key = gateway.key) => {
  const response = await fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
};

const sentMessages = () => gateway.provider.calls.at(-1)!.body!['messages'];
const rows = () =>
  gateway.gateway.store.db.selectFrom('sealed_blobs').selectAll().where('kind', '=', 'responses').execute();

test('a response is stored before the client gets its end, and is continued by its id', async () => {
  const first = await create({ input: 'My name is Ada' });
  const second = await create({ previous_response_id: first.json.id, input: 'Who am I?' });
  expect(second.json.previous_response_id).toBe(first.json.id);
  expect(sentMessages()).toEqual([
    { role: 'user', content: 'My name is Ada' },
    { role: 'assistant', content: 'Hello there, friend' },
    { role: 'user', content: 'Who am I?' },
  ]);
  await create({ previous_response_id: second.json.id, input: [{ role: 'user', content: 'And now?' }] });
  expect(sentMessages()).toHaveLength(5);
});

test('instructions are not inherited', async () => {
  const first = await create({ instructions: 'Speak like a pirate' });
  await create({ previous_response_id: first.json.id });
  expect(JSON.stringify(sentMessages())).not.toContain('pirate');
});

test('a streamed response is stored before its last event is sent', async () => {
  const { text } = await create({ stream: true });
  const completed = text.split('\n').find((line) => line.includes('"type":"response.completed"'))!;
  const { response } = JSON.parse(completed.slice('data: '.length));
  expect((await gateway.get(`/v1/responses/${response.id}`)).json).toEqual(response);
});

test('output items and input items can be referenced by their ids', async () => {
  const first = await create({ input: 'remember me' });
  const [message] = first.json.output;
  await create({
    input: [
      { type: 'item_reference', id: message.id },
      { role: 'user', content: 'go on' },
    ],
  });
  expect(sentMessages()).toEqual([
    { role: 'assistant', content: 'Hello there, friend' },
    { role: 'user', content: 'go on' },
  ]);
  const { json: list } = await gateway.get(`/v1/responses/${first.json.id}/input_items`);
  await create({ input: [{ id: list.data[0].id }] });
  expect(sentMessages()).toEqual([{ role: 'user', content: 'remember me' }]);
});

test('a response with store: false is not stored and cannot be continued', async () => {
  const before = await rows();
  const reply = await create({ store: false });
  expect(reply.json.store).toBe(false);
  expect(await rows()).toHaveLength(before.length);
  const next = await create({ previous_response_id: reply.json.id });
  expectEnvelope(next, { status: 400, code: 'previous_response_not_found', type: 'gateway_error' });
});

test('a charged answer that the store refuses to keep arrives whole, and says store: false', async () => {
  const { store } = gateway.gateway;
  await refuse(store, 'sealed_blobs', 'kind', 'responses');
  const body = await create({});
  const stream = await create({ stream: true });
  await accept(store, 'sealed_blobs');
  expect(body.status).toBe(200);
  expect(body.json).toMatchObject({ status: 'completed', store: false, output: [{ status: 'completed' }] });
  const { response } = responseLife(stream.text);
  expect(response).toMatchObject({ status: 'completed', store: false });
  for (const id of [body.json.id, response['id']]) {
    expect((await gateway.get(`/v1/responses/${id}`)).status).toBe(404);
    const record = store.db.selectFrom('requests').select('notes').where('id', '=', String(id).slice('resp_'.length));
    await expect.poll(async () => (await record.executeTakeFirst())?.notes).toContain('could not be stored');
  }
  expect((await create({})).json.store).toBe(true);
});

test('a stored response is sealed for its account and its id', async () => {
  const { json } = await create({ input: 'the secret word is marzipan' });
  const row = (await rows()).find(({ id }) => id === json.id)!;
  expect(JSON.stringify(row)).not.toMatch(/marzipan|friend/);
  expect(row.bytes).toBe(Buffer.byteLength(row.sealed));
  const other = (await rows()).find(({ id }) => id !== json.id)!;
  const { db } = gateway.gateway.store;
  await db.updateTable('sealed_blobs').set({ sealed: other.sealed }).where('id', '=', json.id).execute();
  expect((await gateway.get(`/v1/responses/${json.id}`)).status).toBe(500);
  await db.deleteFrom('sealed_blobs').where('id', '=', json.id).execute();
  await db.deleteFrom('requests').where('status', '=', 500).execute();
});

test('another account can neither read nor delete a response', async () => {
  const { json } = await create({});
  const foreignKey = await gateway.newKey({ account: 'stranger' });
  const path = `/v1/responses/${json.id}`;
  const notFound = { status: 404, code: 'not_found', type: 'gateway_error' };
  for (const method of ['GET', 'DELETE']) expectEnvelope(await send(method, path, foreignKey), notFound);
  expectEnvelope(await send('GET', `${path}/input_items`, foreignKey), notFound);
  const bearer = { authorization: `Bearer ${foreignKey}` };
  expect((await create({ previous_response_id: json.id }, bearer)).json.error.code).toBe('previous_response_not_found');
  const reference = await create({ input: [{ type: 'item_reference', id: json.output[0].id }] }, bearer);
  expect(reference.status).toBe(400);
  expect(reference.json.error.message).toContain(`Item with id '${json.output[0].id}' not found`);
  expect((await gateway.get(path)).status).toBe(200);
});

test('a response is deleted once, and responses after it cannot be continued any more', async () => {
  const first = await create({});
  const second = await create({ previous_response_id: first.json.id });
  const path = `/v1/responses/${first.json.id}`;
  expect((await send('DELETE', path)).json).toEqual({ id: first.json.id, object: 'response', deleted: true });
  expect((await send('DELETE', path)).status).toBe(404);
  expect((await gateway.get(path)).status).toBe(404);
  const third = await create({ previous_response_id: second.json.id });
  expect(third.json.error.code).toBe('previous_response_not_found');
  const { count } = await storedResponses.total(gateway.gateway.store);
  expect(count).toBeGreaterThanOrEqual((await rows()).length);
});

test('input items come in pages', async () => {
  const input = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
  const { json } = await create({ input });
  const path = `/v1/responses/${json.id}/input_items`;
  const words = (page: any) => page.json.data.map((item: any) => item.content);
  const newest = await gateway.get(`${path}?limit=2`);
  expect(words(newest)).toEqual(['three', 'two']);
  expect(newest.json).toMatchObject({ object: 'list', has_more: true, last_id: newest.json.data[1].id });
  const rest = await gateway.get(`${path}?limit=2&after=${newest.json.last_id}`);
  expect(words(rest)).toEqual(['one']);
  expect(rest.json.has_more).toBe(false);
  expect(words(await gateway.get(`${path}?order=asc`))).toEqual(['one', 'two', 'three']);
  for (const wrong of ['limit=0', 'limit=101', 'order=up', 'after=nothing']) {
    expect((await gateway.get(`${path}?${wrong}`)).status).toBe(400);
  }
});

const framesIn = (text: string) => text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));

test('a stored response is replayed with its original events, from any sequence number', async () => {
  const called = [
    { index: 0, id: 'call_1', function: { name: 'look', arguments: '' } },
    { index: 0, function: { arguments: '{"at":' } },
    { index: 0, function: { arguments: '"Füße 🦶"}' } },
  ];
  const waiting = gate();
  gateway.provider.respond(
    'thinker',
    sse([
      ...['hm, ', 'tea', '?'].map((reasoning_content) => chunk({ reasoning_content })),
      waiting.opened,
      ...['Yes', ', ', 'tea 🫖'].map((content) => chunk({ content })),
      ...called.map((call) => chunk({ tool_calls: [call] })),
      finish('tool_calls'),
      usage(3, 2),
      '[DONE]',
    ]),
  );
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];
  const replying = create({ model: 'thinker', stream: true, tools });
  await gateway.provider.call('thinker').received;
  waiting.open();
  const first = await replying;
  const { response, events } = responseLife(first.text);
  const path = `/v1/responses/${String(response['id'])}?stream=true`;
  expect(framesIn((await gateway.get(path)).text)).toEqual(framesIn(first.text));
  for (const number of [0, 4, 9, events.length - 2, events.length - 1, events.length + 5]) {
    const rest = await gateway.get(`${path}&starting_after=${number}`);
    expect(framesIn(rest.text)).toEqual(framesIn(first.text).slice(Math.min(number + 1, events.length)));
  }
});

test('a response without original events is replayed in order, with one delta per text', async () => {
  gateway.provider.respond(
    'other',
    sse([
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'y' }),
      chunk({ content: 'es' }),
      finish('stop'),
      usage(3, 2),
      '[DONE]',
    ]),
  );
  const { json } = await create({ model: 'other' });
  const { text } = await gateway.get(`/v1/responses/${json.id}?stream=true`);
  const { response, events } = responseLife(text);
  expect(response).toEqual(json);
  expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([{ delta: 'yes' }]);
});

/** Reads a stream in the background. */
function follow(path: string, body?: object, signal?: AbortSignal) {
  const received = { text: '', isStarted: false, over: Promise.resolve() };
  received.over = (async () => {
    const response = await fetch(gateway.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify({ model: 'other', input: 'hello', stream: true, ...body }) }),
      ...(signal && { signal }),
    });
    received.isStarted = true;
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) received.text += piece;
  })().catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
  const receives = async (words: string) => {
    await expect.poll(() => received.text).toContain(words);
    return received;
  };
  return { received, receives };
}

const idIn = (text: string) => /"id":"(resp_\w+)"/.exec(text)![1]!;

test('a running response can be read as far as it is generated, and followed to its end', async () => {
  const [half, rest] = [gate(), gate()];
  const steps = ['Hello', half, ' there', rest, '!'].map((step) =>
    typeof step === 'string' ? chunk({ content: step }) : step.opened,
  );
  gateway.provider.respond('other', sse([...steps, finish('stop'), usage(3, 2), '[DONE]']));
  const first = follow('/v1/responses', {});
  const path = `/v1/responses/${idIn((await first.receives('"delta":"Hello"')).text)}`;
  expect((await gateway.get(path)).json).toMatchObject({
    status: 'in_progress',
    usage: null,
    output: [{ status: 'in_progress', content: [{ text: 'Hello' }] }],
  });
  const foreignKey = await gateway.newKey({ account: 'stranger' });
  expect((await send('GET', path, foreignKey)).status).toBe(404);
  const inputItems = await gateway.get(`${path}/input_items`);
  expect(inputItems.json.data).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'hello' }] }]);
  expectEnvelope(await send('DELETE', path), { status: 409, code: 'conflict', type: 'gateway_error' });
  const cancelled = await send('POST', `${path}/cancel`);
  expectEnvelope(cancelled, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  expect(cancelled.json.error.message).toContain('close its connection');
  for (const below of ['/input_items', '/cancel'])
    expect((await send(below === '/cancel' ? 'POST' : 'GET', path + below, foreignKey)).status).toBe(404);
  const followers = [follow(`${path}?stream=true`)];
  await followers[0]!.receives('"delta":"Hello"');
  half.open();
  await first.receives('"delta":" there"');
  followers.push(follow(`${path}?stream=true`), follow(`${path}?stream=true&starting_after=3`));
  for (const each of followers) await each.receives('"delta":" there"');
  const ahead = [5, 6, 8, 1000].map((number) => follow(`${path}?stream=true&starting_after=${number}`));
  for (const { received } of ahead) await expect.poll(() => received.isStarted).toBe(true);
  rest.open();
  for (const { received } of [first, ...followers, ...ahead]) await received.over;
  const frames = framesIn(first.received.text);
  const { response } = responseLife(first.received.text);
  expect(followers.map(({ received }) => framesIn(received.text))).toEqual([frames, frames, frames.slice(4)]);
  const done = frames.slice(-1);
  expect(ahead.map(({ received }) => framesIn(received.text))).toEqual(
    [6, 7, 9].map((from) => frames.slice(from)).concat([done]),
  );
  expect((await gateway.get(path)).json).toEqual(response);
  expect((await gateway.get(`${path}/input_items`)).json).toEqual(inputItems.json);
});

test('a follower of a response whose client leaves gets the status failed', async () => {
  gateway.provider.respond('other', sse([chunk({ content: 'Hello' }), gate().opened]));
  const leaving = new AbortController();
  const first = follow('/v1/responses', {}, leaving.signal);
  const path = `/v1/responses/${idIn((await first.receives('"delta":"Hello"')).text)}`;
  const follower = follow(`${path}?stream=true`);
  await follower.receives('"delta":"Hello"');
  leaving.abort();
  await follower.received.over;
  expect(responseLife(follower.received.text).response).toMatchObject({ status: 'failed' });
  expect((await gateway.get(path)).status).toBe(404);
});

test('sealed reasoning is valid for one account and one model', async () => {
  gateway.provider.respond(
    'thinker',
    sse([
      chunk({ reasoning_content: 'a hidden thought' }),
      chunk({ content: 'yes' }),
      finish('stop'),
      usage(3, 2),
      '[DONE]',
    ]),
  );
  const include = ['reasoning.encrypted_content'];
  const { json } = await create({ model: 'thinker', store: false, include });
  const [reasoning, message] = json.output;
  expect(reasoning.encrypted_content).toMatch(/^gw1\./);
  const carried = { ...reasoning, summary: [] };
  const again = { role: 'user', content: 'again' };
  await create({ model: 'thinker', store: false, input: [carried, message, again] });
  expect(JSON.stringify(sentMessages())).toContain('a hidden thought');
  gateway.provider.respond('other', answer('no'));
  await create({ model: 'other', store: false, input: [carried, message, again] });
  expect(JSON.stringify(sentMessages())).not.toContain('a hidden thought');
  const foreignKey = await gateway.newKey({ account: 'stranger' });
  await create(
    { model: 'thinker', store: false, input: [carried, message, again] },
    { authorization: `Bearer ${foreignKey}` },
  );
  expect(JSON.stringify(sentMessages())).not.toContain('a hidden thought');
});

test('a response that does not run in the background cannot be cancelled', async () => {
  const { json } = await create({});
  expect((await send('POST', `/v1/responses/${json.id}/cancel`)).json.error.message).toContain('close its connection');
  expect((await send('POST', '/v1/responses/resp_nothing/cancel')).status).toBe(404);
});
