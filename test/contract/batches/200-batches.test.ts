import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerProcess } from '../../../src/money/billing/recovery/processes.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      ...(base['models'] as object[]),
      {
        id: 'half',
        routes: [{ upstream: 'fake', model: 'plain' }],
        max_output_tokens: 4096,
        price: { input: '2', output: '4', batch: '0.5' },
      },
    ],
    batches: { file_bytes_max: '2MiB' },
    accounts: [...(base['accounts'] as object[]), { name: 'other', package: 'standard' }],
  }));
});
afterAll(() => gateway.stop());

const messages = [{ role: 'user', content: 'hello' }];

function lineOf(customId: string, body: object): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body });
}

async function upload(
  text: string,
  fields: readonly (readonly [string, string])[] = [['purpose', 'batch']],
  key = gateway.key,
) {
  const form = new FormData();
  form.append('file', new Blob([text]), 'lines.jsonl');
  for (const [name, value] of fields) form.append(name, value);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return { status: response.status, json: (await response.json()) as any };
}

async function runBatch(lines: readonly string[]) {
  const { json: file } = await upload(lines.join('\n'));
  const { json } = await gateway.post('/v1/batches', {
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  await expect
    .poll(async () => (await gateway.get(`/v1/batches/${json.id}`)).json.status)
    .toMatch(/^(completed|failed|expired|cancelled)$/);
  return (await gateway.get(`/v1/batches/${json.id}`)).json;
}

test('a line costs the price of batches, once, and its request is recorded', async () => {
  const batch = await runBatch([lineOf('a', { model: 'half', messages }), lineOf('b', { model: 'half', messages })]);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 } });
  const { db } = gateway.gateway.store;
  const charges = await db.selectFrom('transfers').selectAll().where('kind', '=', 'charge').execute();
  const live = await gateway.chat({ model: 'half' });
  expect(live.status).toBe(200);
  const costs = (await db.selectFrom('transfers').selectAll().where('kind', '=', 'charge').execute()).map(
    ({ amount }) => Number(amount),
  );
  expect(charges).toHaveLength(2);
  expect(costs).toHaveLength(3);
  const liveCost = Math.min(...costs);
  expect(costs.filter((cost) => cost === liveCost / 2)).toHaveLength(2);
  const row = await db
    .selectFrom('batches')
    .select('cost')
    .where('id', '=', batch.id.replace('batch_', ''))
    .executeTakeFirstOrThrow();
  expect(Number(row.cost)).toBe(-liveCost);
});

test('a line that is longer than a chunk of its file is stored in pieces and runs whole', async () => {
  const long = `${'é'.repeat(300_000)} end`;
  const lines = ['a', long, 'b'].map((content, at) =>
    lineOf(`line-${at}`, { model: 'plain', messages: [{ role: 'user', content }] }),
  );
  const before = gateway.provider.calls.length;
  const batch = await runBatch(lines);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 3, failed: 0 } });
  const sent = gateway.provider.calls.slice(before).map(({ body }) => (body!['messages'] as any)[0].content);
  expect(new Set(sent)).toEqual(new Set(['a', 'b', long]));
  const { db } = gateway.gateway.store;
  const { chunks } = await db
    .selectFrom('files')
    .select('chunks')
    .where('id', '=', batch.input_file_id)
    .executeTakeFirstOrThrow();
  expect(chunks).toBeGreaterThanOrEqual(3);
  const background = { model: 'plain', input: long, background: true };
  const { json } = await gateway.post('/v1/responses', background);
  await expect.poll(async () => (await gateway.get(`/v1/responses/${json.id}`)).json.status).toBe('completed');
  expect(JSON.stringify(gateway.provider.calls.at(-1)!.body!['messages'])).toContain(long);
});

test('files and batches of another account are not found', async () => {
  const batch = await runBatch([lineOf('a', { model: 'plain', messages })]);
  const other = { authorization: `Bearer ${await gateway.newKey({ account: 'other' })}` };
  for (const path of [`/v1/batches/${batch.id}`, `/v1/files/${batch.output_file_id}/content`]) {
    expect((await gateway.get(path)).status).toBe(200);
    expect((await gateway.get(path, other)).status).toBe(404);
  }
  expect((await gateway.get('/v1/batches', other)).json.data).toEqual([]);
});

test('purpose may follow the file, and a wrong or too large upload is refused and leaves no file', async () => {
  const { json, status } = await upload('{}', [
    ['purpose', 'batch'],
    ['expires_after[anchor]', 'created_at'],
    ['expires_after[seconds]', '3600'],
  ]);
  expect([status, json.expires_at - json.created_at]).toEqual([200, 3600]);
  const before = (await gateway.get('/v1/files')).json.data.length;
  expect((await upload('{}', [['purpose', 'nonsense']])).status).toBe(400);
  expect((await upload('x\n'.repeat(1_100_000))).status).toBe(413);
  expect((await gateway.get('/v1/files')).json.data).toHaveLength(before);
});

test('a batch for a wrong endpoint, window or file is refused at once', async () => {
  const { json: file } = await upload('{}');
  const good = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  for (const wrong of [{ endpoint: '/v1/models' }, { completion_window: '1h' }, { input_file_id: 'file-none' }]) {
    expect((await gateway.post('/v1/batches', { ...good, ...wrong })).status, JSON.stringify(wrong)).toBe(400);
  }
});

test('results_url names the host and the scheme that the client used', async () => {
  const params = { model: 'plain', max_tokens: 10, messages };
  const headers = { 'x-api-key': gateway.key, 'x-forwarded-proto': 'https' };
  const { json } = await gateway.post(
    '/anthropic/v1/messages/batches',
    { requests: [{ custom_id: 'a', params }] },
    headers,
  );
  const path = `/anthropic/v1/messages/batches/${json.id}`;
  await expect.poll(async () => (await gateway.get(path, headers)).json.processing_status).toBe('ended');
  expect((await gateway.get(path, headers)).json.results_url).toBe(`https://127.0.0.1:${gateway.port}${path}/results`);
});

test('a batch that is checked is cancelled at once, in both formats', async () => {
  const { db } = gateway.gateway.store;
  await registerProcess(gateway.gateway.store, 'other');
  await db
    .updateTable('processes')
    .set({ heartbeat_at: Date.now() + 86_400_000 })
    .where('id', '=', 'other')
    .execute();
  // Another process checks the next batches, and does not come to an end.
  const trigger = sql`create trigger taken after insert on batches begin
    update batches set process_id = 'other' where id = new.id; end`;
  await trigger.execute(db);
  const { json: file } = await upload([lineOf('a', { model: 'plain', messages }), lineOf('b', {})].join('\n'));
  const terms = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const { json: batch } = await gateway.post('/v1/batches', terms);
  expect(batch.status).toBe('validating');
  const request = { custom_id: 'a', params: { model: 'plain', max_tokens: 10, messages } };
  const headers = { 'x-api-key': gateway.key };
  const path = '/anthropic/v1/messages/batches';
  const { json: messageBatch } = await gateway.post(path, { requests: [request] }, headers);
  await sql`drop trigger taken`.execute(db);
  expect((await gateway.post(`/v1/batches/${batch.id}/cancel`, {})).json).toMatchObject({
    status: 'cancelled',
    request_counts: { total: 2, completed: 0, failed: 2 },
    output_file_id: null,
    error_file_id: null,
  });
  expect((await gateway.post(`${path}/${messageBatch.id}/cancel`, {}, headers)).json).toMatchObject({
    processing_status: 'ended',
    request_counts: { processing: 0, canceled: 1 },
  });
  expect(await db.selectFrom('files').select('id').where('state', '=', 'internal').execute()).toEqual([]);
});
