import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayProcess } from '../crash/processes.ts';
import { takeLock } from '../../src/platform/store/transactions.ts';
import { answer } from '../fakes/fake-provider.ts';
import { atOnceBehind } from '../stores/at-once.ts';
import { type IdempotencyStage, setUpGateways } from './idempotency-stage.ts';

let stage: IdempotencyStage;
let accountId: string;
beforeAll(async () => {
  stage = await setUpGateways();
  stage.provider.respond('other', answer('hello'));
  const account = stage.store.db.selectFrom('accounts').select('id').where('name', '=', 'tester');
  accountId = (await account.executeTakeFirstOrThrow()).id;
});
afterAll(() => stage.tearDown());

const line = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'other', messages: [{ role: 'user', content: 'hello' }] },
});

async function upload({ port }: GatewayProcess, more: Record<string, string> = {}) {
  const form = new FormData();
  form.append('file', new Blob([line]), 'lines.jsonl');
  form.append('purpose', 'batch');
  const headers = { authorization: `Bearer ${stage.key}`, ...more };
  const response = await fetch(`http://127.0.0.1:${port}/v1/files`, { method: 'POST', headers, body: form });
  return (await response.json()) as { id: string };
}

async function create({ port }: GatewayProcess, fileId: string, more: Record<string, string>) {
  const headers = { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json', ...more };
  const body = JSON.stringify({
    input_file_id: fileId,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const response = await fetch(`http://127.0.0.1:${port}/v1/batches`, { method: 'POST', headers, body });
  return (await response.json()) as { id: string };
}

const count = async (table: 'batches' | 'files') =>
  (await stage.store.db.selectFrom(table).select('id').where('account_id', '=', accountId).execute()).length;

test.each([
  ['an Idempotency-Key', { 'idempotency-key': 'k' }, { 'idempotency-key': 'k' }],
  ['a counted retry', { 'x-stainless-retry-count': '0' }, { 'x-stainless-retry-count': '1' }],
])('a gateway is killed before its reply: with %s another one replies with the same batch', async (_, first, retry) => {
  const other = await stage.start();
  const { id: fileId } = await upload(other);
  const before = await count('batches');
  const doomed = await stage.start({ failpoint: { name: 'reply.created', count: 1 } });
  await expect(create(doomed, fileId, first)).rejects.toThrow();
  expect(await count('batches')).toBe(before + 1);
  const [newest] = await stage.store.db.selectFrom('batches').select('id').orderBy('id', 'desc').limit(1).execute();
  expect((await create(other, fileId, retry)).id).toBe(`batch_${newest!.id}`);
  expect(await count('batches')).toBe(before + 1);
});

test('a gateway is killed before its reply to an upload: another one replies with the same file', async () => {
  const other = await stage.start();
  const doomed = await stage.start({ failpoint: { name: 'reply.created', count: 1 } });
  const before = await count('files');
  await expect(upload(doomed, { 'idempotency-key': 'u' })).rejects.toThrow();
  const [newest] = await stage.store.db.selectFrom('files').select('id').orderBy('id', 'desc').limit(1).execute();
  expect(await upload(other, { 'idempotency-key': 'u' })).toMatchObject({ id: newest!.id });
  expect(await count('files')).toBe(before + 1);
});

test('two gateways that create at the same time with one Idempotency-Key create one batch', async () => {
  const [one, other] = [await stage.start(), await stage.start()];
  const { id: fileId } = await upload(one);
  const before = await count('batches');
  const headers = { 'idempotency-key': 'both' };
  // One waits for the lock, and the other one for the claim of the first.
  const lock = { take: (tx: Parameters<typeof takeLock>[0]) => takeLock(tx, `batches of ${accountId}`), waiting: 2 };
  const replies = await atOnceBehind(
    stage.store,
    lock,
    [one, other].map((each) => () => create(each, fileId, headers)),
  );
  expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
  expect(await count('batches')).toBe(before + 1);
});

test.each([
  ['an Idempotency-Key', { 'idempotency-key': 'bg' }, { 'idempotency-key': 'bg' }],
  ['a counted retry', { 'x-stainless-retry-count': '0' }, { 'x-stainless-retry-count': '1' }],
])(
  'a gateway is killed before its reply to a background response: with %s another one replies with the same response, which is charged once',
  async (_, first, retry) => {
    const other = await stage.start();
    const doomed = await stage.start({ failpoint: { name: 'reply.created', count: 1 } });
    const before = await charges();
    const calls = stage.provider.calls.length;
    await expect(begin(doomed, first)).rejects.toThrow();
    const [newest] = await stage.store.db.selectFrom('batches').select('id').orderBy('id', 'desc').limit(1).execute();
    const id = `resp_${newest!.id}`;
    expect(await begin(other, retry)).toMatchObject({ id });
    await expect.poll(async () => (await begin(other, retry)).status).toBe('completed');
    expect(await begin(other, retry)).toMatchObject({ id, output: [{ content: [{ text: 'hello' }] }] });
    expect([await charges(), stage.provider.calls.length]).toEqual([before + 1, calls + 1]);
  },
);

test('a streamed background response that is repeated at another gateway has the events of the first one', async () => {
  const [one, other] = [await stage.start(), await stage.start()];
  const calls = stage.provider.calls.length;
  const headers = { 'idempotency-key': 'streamed' };
  const streams = [await begin(one, headers, true), await begin(other, headers, true)];
  expect(streams[1]).toBe(streams[0]);
  expect(streams[0]).toContain('response.completed');
  expect(stage.provider.calls.length).toBe(calls + 1);
});

async function begin<IsStream extends boolean = false>(
  { port }: GatewayProcess,
  more: Record<string, string>,
  stream?: IsStream,
): Promise<IsStream extends true ? string : { id: string; status: string }> {
  const headers = { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json', ...more };
  const body = JSON.stringify({ model: 'other', input: 'hello', background: true, stream });
  const response = await fetch(`http://127.0.0.1:${port}/v1/responses`, { method: 'POST', headers, body });
  return (stream ? response.text() : response.json()) as never;
}

const charges = async () =>
  (await stage.store.db.selectFrom('transfers').select('reference').where('kind', '=', 'charge').execute()).length;
