import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { keys } from '../../src/money/accounts/keys.ts';
import type { AccountId, KeyId } from '../../src/money/accounts/ids.ts';
import { storingLineBodies } from '../../src/work/batches/storing-job.ts';
import { publishChange } from '../../src/platform/cluster/change-feed.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { expectAtRest } from '../at-rest.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
let owner: ReturnType<typeof accounts>;
let accountId: AccountId;
beforeEach(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    upstreams: (base['upstreams'] as object[]).map((each) => ({ ...each, max_concurrency: 3 })),
    // An answer holds 0.4, and costs much less.
    batches: { lines_at_once: 3 },
    models: [model('plain', { price: { input: '1', output: '4' }, max_output_tokens: 100_000 })],
    accounts: [{ name: 'tester', package: 'standard', credit: '1.00' }],
  }));
  gateway.provider.respond('plain', answer('Hello'));
  owner = accounts(gateway.gateway.store, systemClock);
  accountId = (await owner.find('tester'))!.id;
});
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

const endpoint = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'hello' }];
const customIds = Array.from({ length: 12 }, (_, at) => `line-${at}`);

async function upload(): Promise<string> {
  const body = { model: 'plain', messages };
  const lines = customIds.map((custom_id) => JSON.stringify({ custom_id, method: 'POST', url: endpoint, body }));
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines.join('\n')]), 'lines.jsonl');
  const headers = { authorization: `Bearer ${gateway.key}` };
  const response = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { id: string }).id;
}

async function create(inputFileId: string): Promise<string> {
  const order = { input_file_id: inputFileId, endpoint, completion_window: '24h' };
  return (await gateway.post('/v1/batches', order)).json.id;
}

const rowOf = (id: string) =>
  gateway.gateway.store.db
    .selectFrom('batches')
    .selectAll()
    .where('id', '=', id.replace('batch_', ''))
    .executeTakeFirstOrThrow();

/** The number of lines in both files with each outcome. */
async function endOf(id: string): Promise<Readonly<Record<string, number>>> {
  await expect.poll(async () => (await rowOf(id)).ended_at, { message: 'the batch ends' }).not.toBeNull();
  await owner.resume(accountId);
  const headers = { authorization: `Bearer ${await gateway.newKey()}` };
  const row = await rowOf(id);
  const ids = [row.output_file_id, row.error_file_id].filter((each) => each !== null);
  const texts = ids.map(async (each) => (await gateway.get(`/v1/files/${each}/content`, headers)).text);
  const lines: any[] = (await Promise.all(texts))
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => String(line.custom_id)).toSorted()).toEqual(customIds.toSorted());
  const { db } = gateway.gateway.store;
  const charges = db.selectFrom('transfers').select('amount').where('key_id', '=', row.key_id);
  const sum = (await charges.where('kind', '=', 'charge').execute()).reduce(
    (total, { amount }) => total - BigInt(amount),
    0n,
  );
  expect(BigInt(row.cost)).toBe(sum);
  const outcomes = lines.map(({ response, error }) => String(response?.status_code ?? error.code));
  return Object.fromEntries([...Map.groupBy(outcomes, (each) => each)].map(([name, same]) => [name, same.length]));
}

/** A batch with two lines at the provider, which answers when the test opens the gate. */
async function running() {
  const { opened, open } = gate();
  gateway.provider.respond('plain', sse([chunk({ content: 'Hello' }), opened, finish('stop'), usage(7, 1), '[DONE]']));
  const fileId = await upload();
  const id = await create(fileId);
  await expect.poll(() => gateway.provider.calls.length, { message: 'two lines run' }).toBe(2);
  return { id, fileId, open };
}

/**
 * Resolves when the process has read all changes. It reads them in their order and then has a new catalog, so what it
 * has cached of the key is gone.
 */
async function changesRead(): Promise<void> {
  const before = gateway.gateway.current();
  await publishChange(gateway.gateway.store.db, { topic: 'catalog', subject: '*' });
  await expect.poll(() => gateway.gateway.current() !== before, { message: 'the changes are read' }).toBe(true);
}

test('lines that one balance cannot hold at once run one after another', async () => {
  expect(await endOf(await create(await upload()))).toEqual({ 200: 12 });
});

test('lines wait for the money that live requests of the account hold', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('plain', sse([chunk({ content: 'Hello' }), opened, finish('stop'), usage(7, 1), '[DONE]']));
  const other = { authorization: `Bearer ${await gateway.newKey()}` };
  const live = [gateway.chat({}, other), gateway.chat({}, other)];
  await expect.poll(() => gateway.provider.calls.length, { message: 'two requests hold 0.8' }).toBe(2);
  const id = await create(await upload());
  const running = gateway.gateway.store.db.selectFrom('batch_lines').select('line').where('state', '=', 'running');
  await expect.poll(async () => (await running.execute()).length, { message: 'lines are tried' }).toBe(3);
  // Without the wait, all lines would have failed by now.
  await delay(300);
  open();
  expect((await Promise.all(live)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await endOf(id)).toEqual({ 200: 12 });
});

test('an account without money for one line gets 402 for all lines', async () => {
  const order = { accountId, reference: 'leave', by: 'test', reason: 'test', amount: -800_000_000n };
  await credits(gateway.gateway.store, systemClock).adjust(order);
  expect(await endOf(await create(await upload()))).toEqual({ 402: 12 });
  expect(gateway.provider.calls).toEqual([]);
});

test('an answer that comes while the store is away is neither lost nor generated again', async () => {
  const { store } = gateway.gateway;
  const commit = store.commit.bind(store);
  let isAway = true;
  store.commit = (job, input) => {
    if (job.name !== storingLineBodies.name || !isAway) return commit(job, input);
    isAway = false;
    return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  };
  expect(await endOf(await create(await upload()))).toEqual({ 200: 12 });
  expect([isAway, gateway.provider.calls.length]).toEqual([false, 12]);
});

test('a suspended account gets 401 for the lines from then on', async () => {
  const { id, open } = await running();
  await owner.suspend(accountId);
  await changesRead();
  open();
  expect(await endOf(id)).toEqual({ 200: 2, 401: 10 });
});

test('a revoked key gets 401 for the lines from then on', async () => {
  const { id, open } = await running();
  const { key_id: keyId } = await rowOf(id);
  await keys(gateway.gateway.store, systemClock).revoke(keyId as KeyId);
  await changesRead();
  open();
  expect(await endOf(id)).toEqual({ 200: 2, 401: 10 });
});

test('lines of a cancelled batch that have a slot are aborted, and the others never run', async () => {
  const { id } = await running();
  expect((await gateway.post(`/v1/batches/${id}/cancel`, {})).json.status).toBe('cancelling');
  expect(await endOf(id)).toEqual({ batch_cancelled: 12 });
  expect((await rowOf(id)).state).toBe('cancelled');
  expect(gateway.provider.calls).toHaveLength(2);
  expect((await gateway.post(`/v1/batches/${id}/cancel`, {})).json.status).toBe('cancelled');
});

test('the input file of a batch in progress cannot be deleted, and its output can', async () => {
  const { id, fileId, open } = await running();
  const remove = async (file: string) =>
    fetch(`${gateway.url}/v1/files/${file}`, { method: 'DELETE', headers: { authorization: `Bearer ${gateway.key}` } });
  expect((await remove(fileId)).status).toBe(409);
  open();
  expect(await endOf(id)).toEqual({ 200: 12 });
  const { output_file_id: output } = await rowOf(id);
  expect((await remove(fileId)).status).toBe(200);
  expect((await remove(output ?? '')).status).toBe(200);
  expect((await gateway.get(`/v1/files/${output}/content`)).status).toBe(404);
  expect((await gateway.get(`/v1/batches/${id}`)).json).toMatchObject({ status: 'completed', output_file_id: output });
});
