import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, sse } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { atOnce } from '../../stores/at-once.ts';

let gateway: TestGateway;
const held = gate();
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    batches: { account_files_max: 10, account_batches_max: 3, account_lines_max: 20, background_max: 2 },
    limits: { body_bytes_max: '64KiB' },
    accounts: [
      ...(base['accounts'] as object[]),
      { name: 'poor', package: 'standard' },
      { name: 'busy', package: 'standard', credit: '10.00' },
      { name: 'refused', package: 'standard', credit: '10.00' },
    ],
  }));
  // Its lines stay unfinished until the test lets them end.
  gateway.provider.respond('other', sse([held.opened]));
});
afterAll(async () => {
  held.open();
  await gateway.stop();
});

const messages = [{ role: 'user', content: 'hello' }];
const lineOf = (customId: string, model = 'other', pad = '') =>
  JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body: { model, messages, pad } });
const linesOf = (count: number) => Array.from({ length: count }, (_, at) => lineOf(`line-${at}`)).join('\n');

async function upload(key: string, content: string, name = 'lines.jsonl') {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('purpose', 'batch');
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form };
  const response = await fetch(`${gateway.url}/v1/files`, init);
  return { status: response.status, json: (await response.json()) as any };
}

const create = (key: string, fileId: string) =>
  gateway.post(
    '/v1/batches',
    { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' },
    { authorization: `Bearer ${key}` },
  );

const messageBatch = (key: string, requests: number) => {
  const params = { model: 'other', max_tokens: 5, messages };
  const list = Array.from({ length: requests }, (_, at) => ({ custom_id: `line-${at}`, params }));
  return gateway.post('/anthropic/v1/messages/batches', { requests: list }, { 'x-api-key': key });
};

test('uploads at the same time do not pass the limit of files together', async () => {
  const key = await gateway.newKey();
  const replies = await atOnce(
    gateway.gateway.store,
    Array.from({ length: 24 }, () => () => upload(key, lineOf('a'))),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = replies.filter(({ status }) => status !== 200);
  for (const { status, json } of refused)
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('10 files')]);
  const { db } = gateway.gateway.store;
  expect(await db.selectFrom('files').select('id').execute()).toHaveLength(10);
  await db.deleteFrom('files').execute();
});

test('an account without money can create neither files nor batches nor background responses', async () => {
  const key = await gateway.newKey({ account: 'poor' });
  const bearer = { authorization: `Bearer ${key}` };
  const background = gateway.post('/v1/responses', { model: 'plain', input: 'hi', background: true }, bearer);
  const replies = [
    await upload(key, lineOf('a')),
    await create(key, 'file-none'),
    await messageBatch(key, 1),
    await background,
  ];
  for (const { status, json } of replies) {
    expect([status, json.error.code]).toEqual([402, 'insufficient_balance']);
    expect(json.error.message).toContain('Top it up');
  }
  const { db } = gateway.gateway.store;
  expect(await db.selectFrom('files').select('id').execute()).toEqual([]);
  expect(await db.selectFrom('batches').select('id').execute()).toEqual([]);
});

test('120 responses in the background that begin at once do not pass the limit together', async () => {
  const bearer = { authorization: `Bearer ${await gateway.newKey({ account: 'busy' })}` };
  const begin = (index: number) =>
    gateway.post('/v1/responses', { model: 'other', input: 'hi', background: true, user: `u${index}` }, bearer);
  const replies = await Promise.all(Array.from({ length: 120 }, (_, index) => begin(index)));
  const begun = replies.filter(({ status }) => status === 200);
  expect(begun).toHaveLength(2);
  for (const { status, json } of replies.filter((reply) => !begun.includes(reply)))
    expect([status, json.error.code]).toEqual([503, 'overloaded']);
  for (const { json } of begun) await gateway.post(`/v1/responses/${json.id}/cancel`, {}, bearer);
});

test('the unfinished batches of an account and their lines have a limit, in both formats and at the same time', async () => {
  const key = await gateway.newKey({ account: 'busy' });
  const file = async (lines: number) => (await upload(key, linesOf(lines))).json.id as string;
  const tooMany = await create(key, await file(21));
  expect([tooMany.status, tooMany.json.error.message]).toEqual([400, expect.stringContaining('21 requests')]);
  const [five, tenth] = [await file(5), await file(12)];
  expect((await create(key, five)).status).toBe(200);
  expect((await messageBatch(key, 5)).status).toBe(200);
  const lines = await create(key, tenth);
  expect([lines.status, lines.json.error.code]).toEqual([503, 'overloaded']);
  expect(lines.json.error.message).toContain('more than 20 requests');
  const replies = await atOnce(gateway.gateway.store, [
    ...Array.from({ length: 4 }, () => () => create(key, five)),
    () => messageBatch(key, 1),
  ]);
  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 503, 503, 503, 503]);
  expect(replies.find(({ status }) => status === 503)!.json.error.message).toContain('3 batches');
  const { db } = gateway.gateway.store;
  expect(await db.selectFrom('batches').select('id').where('ended_at', 'is', null).execute()).toHaveLength(3);
  // The refused message batches left no input.
  await expect
    .poll(
      async () =>
        (await db.selectFrom('files').select('id').where('state', 'in', ['internal', 'uploading']).execute()).length,
    )
    .toBeLessThanOrEqual(2);
});

test('output files count toward no quota of uploads and block no response in the background', async () => {
  const key = await gateway.newKey();
  const bearer = { authorization: `Bearer ${key}` };
  const { db } = gateway.gateway.store;
  const { json: file } = await upload(key, lineOf('a', 'plain'));
  const { json: batch } = await create(key, file.id);
  const status = async () => (await gateway.get(`/v1/batches/${batch.id}`, bearer)).json.status;
  await expect.poll(status).toBe('completed');
  const output = await db.selectFrom('files').selectAll().where('origin', '=', 'gateway').executeTakeFirstOrThrow();
  const copies = Array.from({ length: 9 }, (_, at) => ({ ...output, id: `${output.id}${at}` }));
  await db.insertInto('files').values(copies).execute();
  const outputs = (await gateway.get('/v1/files?purpose=batch_output', bearer)).json.data;
  expect(outputs).toHaveLength(10);
  expect((await upload(key, lineOf('a'))).status).toBe(200);
  const background = { model: 'plain', input: 'hi', background: true };
  expect((await gateway.post('/v1/responses', background, bearer)).status).toBe(200);
  // 20 lines may leave 320 KiB.
  await db
    .updateTable('blob_sums')
    .set((sum) => ({ bytes: sum('bytes', '+', 20 * 16 * 1024) }))
    .where('kind', '=', 'gateway_files')
    .execute();
  const refused = await create(key, file.id);
  expect([refused.status, refused.json.error.message]).toEqual([
    400,
    expect.stringContaining('output files of this account'),
  ]);
  expect((await gateway.post('/v1/responses', background, bearer)).status).toBe(200);
  expect((await upload(key, lineOf('a'))).status).toBe(200);
  await db
    .updateTable('blob_sums')
    .set((sum) => ({ bytes: sum('bytes', '-', 20 * 16 * 1024) }))
    .where('kind', '=', 'gateway_files')
    .execute();
});

test('a line that is longer than a request is refused in the middle of the upload', async () => {
  const key = await gateway.newKey();
  const long = lineOf('b', 'plain', 'x'.repeat(70_000));
  const { status, json } = await upload(key, `${lineOf('a')}\n${long}\n${lineOf('c')}`);
  expect([status, json.error.message]).toEqual([
    413,
    expect.stringContaining('Line 2 of the file is longer than 65536'),
  ]);
});

test('uploads and message batches are refused while the disk has less space than the reserve; others are served', async () => {
  const full = await startTestGateway((base) => ({ ...base, batches: { free_bytes_min: '1024GiB' } }));
  try {
    const form = new FormData();
    form.append('file', new Blob([lineOf('a')]), 'lines.jsonl');
    form.append('purpose', 'batch');
    const headers = { authorization: `Bearer ${full.key}` };
    const reply = await fetch(`${full.url}/v1/files`, { method: 'POST', headers, body: form });
    const json: any = await reply.json();
    const requests = [{ custom_id: 'a', params: { model: 'plain', max_tokens: 5, messages } }];
    const batch = await full.post('/anthropic/v1/messages/batches', { requests }, { 'x-api-key': full.key });
    expect([reply.status, json.error.code, batch.status]).toEqual([503, 'overloaded', 503]);
    expect(json.error.message).toContain('almost full');
    expect((await full.chat({})).status).toBe(200);
    expect(await full.gateway.store.db.selectFrom('files').select('id').execute()).toEqual([]);
  } finally {
    await full.stop();
  }
});

test('an account keeps the newest 1,000 batches that cost nothing and have no answer, and all others', async () => {
  const key = await gateway.newKey({ account: 'refused' });
  const { db } = gateway.gateway.store;
  const { json: file } = await upload(key, 'no JSON');
  const failed = async () => {
    const { json } = await create(key, file.id);
    const status = async () => (await gateway.get(`/v1/batches/${json.id}`, bearer)).json.status;
    await expect.poll(status).toBe('failed');
    return db
      .selectFrom('batches')
      .selectAll()
      .where('id', '=', json.id.slice('batch_'.length))
      .executeTakeFirstOrThrow();
  };
  const bearer = { authorization: `Bearer ${key}` };
  const row = await failed();
  const copies = Array.from({ length: 1010 }, (_, at) => ({
    ...row,
    id: `0-${String(at).padStart(4, '0')}`,
    cost: 0n,
  }));
  const answered = { ...row, id: '0-answered', state: 'completed' as const, succeeded: 1, cost: 0n };
  const paid = { ...row, id: '0-paid', state: 'cancelled' as const, cost: 5n };
  await gateway.gateway.store.transaction(async (tx) => {
    for (const each of [...copies, answered, paid]) await tx.insertInto('batches').values(each).execute();
  });
  const { id: newest } = await failed();
  const own = db.selectFrom('batches').select('id').where('account_id', '=', row.account_id);
  const ids = (await own.where('ended_at', 'is not', null).execute()).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([row.id, newest, '0-1009', '0-answered', '0-paid']));
  expect(ids.filter((id) => /^0-\d/.test(id))).toHaveLength(999);
  expect(ids).not.toContain('0-0010');
});
