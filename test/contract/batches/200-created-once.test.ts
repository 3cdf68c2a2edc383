import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { atOnce } from '../../stores/at-once.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, batches: { account_files_max: 20 } }));
});
afterAll(() => gateway.stop());

let headers: Record<string, string>;
let used = 0;
beforeEach(() => {
  used += 1;
  headers = { 'idempotency-key': `key-${used}` };
});

const messages = [{ role: 'user', content: 'hello' }];
const line = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'plain', messages },
});

/** Each form has a boundary of its own, as client libraries choose it. */
async function upload(more: Record<string, string> = {}, content = line, key = gateway.key) {
  const form = new FormData();
  form.append('file', new Blob([content]), 'lines.jsonl');
  form.append('purpose', 'batch');
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, ...more }, body: form };
  const response = await fetch(`${gateway.url}/v1/files`, init);
  return { status: response.status, json: (await response.json()) as any };
}

async function orderOf(more: object = {}) {
  const { json } = await upload();
  return { input_file_id: json.id, endpoint: '/v1/chat/completions', completion_window: '24h', ...more };
}

const batches = async () => (await gateway.get('/v1/batches?limit=100')).json.data.length;
const files = async () => (await gateway.get('/v1/files?purpose=batch')).json.data.length;
const messageBatch = (more: Record<string, string>, customId = 'a') =>
  gateway.post(
    '/anthropic/v1/messages/batches',
    { requests: [{ custom_id: customId, params: { model: 'plain', max_tokens: 5, messages } }] },
    { 'x-api-key': gateway.key, ...more },
  );

test('a batch that is created again with its Idempotency-Key is the same batch, also if its file is gone', async () => {
  const order = await orderOf();
  const before = await batches();
  const first = await gateway.post('/v1/batches', order, headers);
  expect(first.status).toBe(200);
  await expect.poll(async () => (await gateway.get(`/v1/batches/${first.json.id}`)).json.status).toBe('completed');
  await fetch(`${gateway.url}/v1/files/${order.input_file_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${gateway.key}` },
  });
  const again = await gateway.post('/v1/batches', order, headers);
  expect([again.status, again.json.id, again.json.status]).toEqual([200, first.json.id, 'completed']);
  expect(await batches()).toBe(before + 1);
});

test('concurrent requests with one Idempotency-Key create one batch', async () => {
  const order = await orderOf();
  const before = await batches();
  const replies = await atOnce(
    gateway.gateway.store,
    Array.from({ length: 8 }, () => () => gateway.post('/v1/batches', order, headers)),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
  expect(await batches()).toBe(before + 1);
});

test('an Idempotency-Key is for one body, and for one endpoint and key of its own', async () => {
  const order = await orderOf();
  const first = await gateway.post('/v1/batches', order, headers);
  const other = await gateway.post('/v1/batches', { ...order, metadata: { a: 'b' } }, headers);
  expect([other.status, other.json.error.message]).toEqual([400, expect.stringContaining('used for another request')]);
  const secondKey = { authorization: `Bearer ${await gateway.newKey()}` };
  const separate = await gateway.post('/v1/batches', order, { ...headers, ...secondKey });
  expect(separate.json.id).toMatch(/^batch_/);
  expect(separate.json.id).not.toBe(first.json.id);
  expect((await messageBatch(headers)).json.id).toMatch(/^msgbatch_/);
});

test('a refused creation leaves its Idempotency-Key free', async () => {
  const order = await orderOf();
  expect((await gateway.post('/v1/batches', { ...order, input_file_id: 'file-none' }, headers)).status).toBe(400);
  expect((await gateway.post('/v1/batches', order, headers)).status).toBe(200);
});

test('a counted retry of a client library without a key finds the first batch, and a new request creates another', async () => {
  const order = await orderOf();
  const send = (count: number) => gateway.post('/v1/batches', order, { 'x-stainless-retry-count': String(count) });
  const [first, retry, second, its] = [await send(0), await send(1), await send(0), await send(2)];
  expect(retry.json.id).toBe(first.json.id);
  expect(second.json.id).not.toBe(first.json.id);
  expect(its.json.id).toBe(second.json.id);
});

test('a repeated message batch is the same batch and keeps no second input', async () => {
  const { db } = gateway.gateway.store;
  const before = await batches();
  const [first, again] = [await messageBatch(headers), await messageBatch(headers)];
  expect([first.status, again.status, again.json.id]).toEqual([200, 200, first.json.id]);
  expect((await messageBatch(headers, 'b')).status).toBe(400);
  const counted = { 'x-stainless-retry-count': '0' };
  const [one, retry] = [await messageBatch(counted), await messageBatch({ 'x-stainless-retry-count': '1' })];
  expect(retry.json.id).toBe(one.json.id);
  expect(await batches()).toBe(before + 2);
  const inputs = db.selectFrom('files').select('state').where('state', 'in', ['internal', 'uploading']);
  await expect.poll(() => inputs.execute()).toEqual([]);
});

test('a repeated upload is the same file, also when the account may have no more files', async () => {
  const first = await upload(headers);
  while ((await upload()).status === 200);
  const stored = await files();
  const again = await upload(headers);
  expect([again.status, again.json.id]).toEqual([200, first.json.id]);
  const other = await upload(headers, `${line}\n${line}`);
  expect([other.status, other.json.error.message]).toEqual([400, expect.stringContaining('used for another request')]);
  expect(await files()).toBe(stored);
  for (const { id } of (await gateway.get('/v1/files?purpose=batch')).json.data)
    await fetch(`${gateway.url}/v1/files/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${gateway.key}` },
    });
});

test('a counted retry of an upload is the same file', async () => {
  const [first, retry] = [
    await upload({ 'x-stainless-retry-count': '0' }),
    await upload({ 'x-stainless-retry-count': '1' }),
  ];
  expect(retry.json.id).toBe(first.json.id);
  expect((await upload({ 'x-stainless-retry-count': '0' })).json.id).not.toBe(first.json.id);
});
