import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { responseLife } from '../../response-life.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

let database: string;
let one: TestGateway;
let other: TestGateway;
let key: string;
beforeAll(async () => {
  database = await newDatabase();
  const start = () =>
    startTestGateway((base) => ({ ...base, database, secret: 'two gateways that share one store share one secret' }));
  one = await start();
  other = await start();
  key = one.key;
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await dropDatabase(database);
});

const bearer = () => ({ authorization: `Bearer ${key}` });
const send = (gateway: TestGateway, body: object) =>
  gateway.post('/v1/responses', { model: 'plain', input: 'hello', ...body }, bearer());

test('a response stored by one gateway is continued, replayed and deleted at another', async () => {
  const first = await send(one, { input: 'My name is Ada', stream: true });
  const { response } = responseLife(first.text);
  const path = `/v1/responses/${String(response['id'])}`;
  const second = await send(other, { previous_response_id: response['id'], input: 'Who am I?' });
  expect(other.provider.calls.at(-1)!.body!['messages']).toEqual([
    { role: 'user', content: 'My name is Ada' },
    { role: 'assistant', content: 'Hello there, friend' },
    { role: 'user', content: 'Who am I?' },
  ]);
  expect((await other.get(path, bearer())).json).toEqual(response);
  const again = await other.get(`${path}?stream=true`, bearer());
  expect(responseLife(again.text).events).toEqual(responseLife(first.text).events);
  const reference = { type: 'item_reference', id: (second.json.output as [{ id: string }])[0].id };
  expect((await send(one, { input: [reference] })).status).toBe(200);
  const deleted = await fetch(other.url + path, { method: 'DELETE', headers: bearer() });
  expect(await deleted.json()).toMatchObject({ deleted: true });
  expect((await one.get(path, bearer())).status).toBe(404);
  expect((await send(one, { previous_response_id: second.json.id })).json.error.code).toBe(
    'previous_response_not_found',
  );
});

test('ids that the database cannot store are not found, and fail no answer', async () => {
  const unstorable = ['a\u0000b', 'x'.repeat(100_000), '名前'];
  for (const id of unstorable) {
    const stored = await send(one, { input: [{ type: 'message', id, role: 'user', content: 'remember me' }] });
    expect(stored.status).toBe(200);
    expect((await send(one, { previous_response_id: stored.json.id })).status).toBe(200);
    expect((await send(one, { previous_response_id: id })).json.error.code).toBe('previous_response_not_found');
    const reference = await send(one, { input: [{ type: 'item_reference', id }] });
    expect(reference.json.error.message).toContain('not found: send the item itself');
  }
  for (const [id, status] of [
    ['a%00b', 400],
    ['%E5%90%8D', 404],
  ]) {
    const path = `/v1/responses/${id}`;
    expect((await one.get(path, bearer())).status).toBe(status);
    expect((await fetch(one.url + path, { method: 'DELETE', headers: bearer() })).status).toBe(status);
  }
});
