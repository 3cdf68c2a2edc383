import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../../src/core/time/calendar-day.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

let database: string;
let normal: TestGateway;
let key: string;
const running: TestGateway[] = [];
beforeAll(async () => {
  database = await newDatabase();
  normal = await start();
  key = normal.key;
});
afterAll(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  await dropDatabase(database);
});

async function start(aheadMs = 0): Promise<TestGateway> {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const secret = 'two gateways that share one store share one secret';
  const gateway = await startTestGateway((base) => ({ ...base, database, secret }), { clock });
  running.push(gateway);
  return gateway;
}

const bearer = () => ({ authorization: `Bearer ${key}` });

async function upload(): Promise<string> {
  const body = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
  const form = new FormData();
  form.append('file', new Blob([line]), 'lines.jsonl');
  form.append('purpose', 'batch');
  const reply = await fetch(`${normal.url}/v1/files`, { method: 'POST', headers: bearer(), body: form });
  return ((await reply.json()) as { readonly id: string }).id;
}

async function storedResponse() {
  const { json, headers } = await normal.post('/v1/responses', { model: 'plain', input: 'hello' }, bearer());
  const requestId = String(headers.get('x-gateway-request-id'));
  const recorded = normal.gateway.store.db.selectFrom('requests').select('id').where('id', '=', requestId);
  await expect.poll(() => recorded.execute()).toEqual([{ id: requestId }]);
  return { responseId: json.id as string, recorded, requestId };
}

test('a gateway whose clock is far ahead deletes and refuses nothing that its peer stored, and runs batches', async () => {
  const { db } = normal.gateway.store;
  const [kept, old] = [await storedResponse(), await storedResponse()];
  const [file, oldFile] = [await upload(), await upload()];
  await db.updateTable('sealed_blobs').set({ created_at: 1 }).where('id', '=', old.responseId).execute();
  await db.updateTable('requests').set({ started_at: 1 }).where('id', '=', old.requestId).execute();
  await db.updateTable('files').set({ expires_at: 1 }).where('id', '=', oldFile).execute();
  // The deletions are due again: the other gateway does them at its start.
  await db.deleteFrom('settings').where('name', 'like', 'deleted %').execute();
  const ahead = await start(100 * dayMs);
  const stored = db.selectFrom('sealed_blobs').select('id').where('id', 'in', [kept.responseId, old.responseId]);
  await expect.poll(() => stored.execute(), { message: 'old responses go' }).toEqual([{ id: kept.responseId }]);
  await expect.poll(() => old.recorded.execute(), { message: 'old records go' }).toEqual([]);
  const files = db.selectFrom('files').select('id').where('purpose', '=', 'batch');
  await expect.poll(() => files.execute(), { message: 'expired files go' }).toEqual([{ id: file }]);
  expect(await kept.recorded.execute()).toHaveLength(1);
  expect((await ahead.get(`/v1/responses/${kept.responseId}`, bearer())).status).toBe(200);
  expect((await ahead.get(`/v1/files/${file}`, bearer())).status).toBe(200);
  await normal.gateway.stop({ graceMs: 0 });
  const terms = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const { json: batch } = await ahead.post('/v1/batches', terms, bearer());
  const status = async () => (await ahead.get(`/v1/batches/${batch.id}`, bearer())).json.status;
  await expect.poll(status).toBe('completed');
});
