import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  const baseURL = `${gateway.url}/anthropic`;
  anthropic = new Anthropic({ baseURL, apiKey: gateway.key, authToken: null, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];

function lineOf(customId: string, body: object, url = '/v1/chat/completions'): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url, body });
}

async function upload(lines: readonly string[]): Promise<OpenAI.FileObject> {
  const file = await toFile(Buffer.from(lines.join('\n')), 'lines.jsonl');
  return openai.files.create({ file, purpose: 'batch' });
}

async function ended(id: string): Promise<OpenAI.Batch> {
  await expect
    .poll(async () => (await openai.batches.retrieve(id)).status, { message: 'the batch ends' })
    .toMatch(/^(completed|failed|expired|cancelled)$/);
  return openai.batches.retrieve(id);
}

async function linesOf(fileId: string | null | undefined): Promise<Record<string, any>[]> {
  if (!fileId) return [];
  const text = await (await openai.files.content(fileId)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the openai SDK uploads a file, lists, reads and deletes it', async () => {
  const lines = [lineOf('a', { model: 'sim-chat', messages }), lineOf('b', { model: 'sim-chat', messages })];
  const file = await upload(lines);
  expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'lines.jsonl', status: 'processed' });
  expect(file.bytes).toBe(Buffer.byteLength(lines.join('\n')));
  expect(await openai.files.retrieve(file.id)).toEqual(file);
  const other = await upload(lines);
  const ids: string[] = [];
  for await (const each of openai.files.list({ limit: 1, purpose: 'batch' })) ids.push(each.id);
  expect(ids).toEqual([other.id, file.id]);
  expect(await (await openai.files.content(file.id)).text()).toBe(lines.join('\n'));
  expect(await openai.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
  await expect(openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
});

test('the openai SDK runs a batch, and reads its output and its errors', async () => {
  const file = await upload([
    lineOf('one', { model: 'sim-chat', messages }),
    lineOf('two', { model: 'sim-chat', messages, max_tokens: 5 }),
    lineOf('wrong', { model: 'sim-chat', messages: 'not a list' }),
  ]);
  const created = await openai.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { night: 'first' },
  });
  expect(created).toMatchObject({ object: 'batch', status: 'validating', metadata: { night: 'first' } });
  const batch = await ended(created.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 } });
  const output = await linesOf(batch.output_file_id);
  expect(output.map((line) => line['custom_id'] as string).toSorted()).toEqual(['one', 'two']);
  for (const line of output) {
    expect(line).toMatchObject({ error: null, response: { status_code: 200, body: { object: 'chat.completion' } } });
  }
  const tokens = output.map((line) => line['response'].body.usage.total_tokens as number);
  expect(batch.usage?.total_tokens).toBe(tokens.reduce((sum, each) => sum + each, 0));
  const errors = await linesOf(batch.error_file_id);
  expect(errors).toMatchObject([
    { custom_id: 'wrong', error: null, response: { status_code: 400, body: { error: { code: 'invalid_request' } } } },
  ]);
  const ids: string[] = [];
  for await (const each of openai.batches.list({ limit: 1 })) ids.push(each.id);
  expect(ids).toContain(batch.id);
});

test('the openai SDK runs batches of responses, completions and messages', async () => {
  const bodies = {
    '/v1/responses': { model: 'sim-chat', input: 'Hello' },
    '/v1/completions': { model: 'sim-chat', prompt: 'Hello' },
    '/v1/messages': { model: 'sim-chat', max_tokens: 100, messages },
  };
  for (const [endpoint, body] of Object.entries(bodies)) {
    const file = await upload([lineOf('only', body, endpoint)]);
    const { id } = await openai.batches.create({
      input_file_id: file.id,
      endpoint: endpoint as '/v1/responses',
      completion_window: '24h',
    });
    const batch = await ended(id);
    const lines = [...(await linesOf(batch.output_file_id)), ...(await linesOf(batch.error_file_id))];
    expect(lines, endpoint).toMatchObject([{ custom_id: 'only', response: { status_code: 200 } }]);
  }
});

test('the openai SDK reads what is wrong with a file from the failed batch', async () => {
  const file = await upload([
    lineOf('a', { model: 'sim-chat', messages }),
    lineOf('a', { model: 'sim-chat', messages }),
    lineOf('b', { model: 'unheard-of', messages }),
    'not json',
  ]);
  const { id } = await openai.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'failed', output_file_id: null, error_file_id: null });
  expect(batch.errors?.data?.map(({ code, line }) => [code, line])).toEqual([
    ['duplicate_custom_id', 2],
    ['model_not_found', 3],
    ['invalid_json_line', 4],
  ]);
});

test('the openai SDK cancels a batch, and every line has an outcome', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => lineOf(`line-${at}`, { model: 'sim-chat', messages }));
  const file = await upload(lines);
  const { id } = await openai.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  expect((await openai.batches.cancel(id)).status).toMatch(/^cancell(ing|ed)$/);
  const batch = await ended(id);
  expect(batch.status).toBe('cancelled');
  const all = [...(await linesOf(batch.output_file_id)), ...(await linesOf(batch.error_file_id))];
  const ids = all.map((line) => line['custom_id'] as string);
  // A batch that is cancelled during its check has no lines.
  expect(new Set(ids).size).toBe(typeof batch.in_progress_at === 'number' ? 40 : 0);
  expect(ids.length).toBe(new Set(ids).size);
});

test('the Anthropic SDK runs a message batch, and reads and deletes its results', async () => {
  const params = { model: 'sim-chat', max_tokens: 100, messages };
  const created = await anthropic.messages.batches.create({
    requests: [
      { custom_id: 'one', params },
      { custom_id: 'two', params },
      { custom_id: 'wrong', params: { ...params, model: 'unheard-of' } },
    ],
  });
  expect(created).toMatchObject({
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 3, succeeded: 0, errored: 0 },
    results_url: null,
  });
  await expect(anthropic.messages.batches.results(created.id)).rejects.toThrow();
  await expect
    .poll(async () => (await anthropic.messages.batches.retrieve(created.id)).processing_status)
    .toBe('ended');
  const batch = await anthropic.messages.batches.retrieve(created.id);
  expect(batch.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 });
  expect(batch.results_url).toBe(`${gateway.url}/anthropic/v1/messages/batches/${batch.id}/results`);
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await anthropic.messages.batches.results(batch.id)) results.push(result);
  const byId = new Map(results.map((result) => [result.custom_id, result.result]));
  expect(byId.get('one')).toMatchObject({ type: 'succeeded', message: { role: 'assistant', type: 'message' } });
  expect(byId.get('wrong')).toMatchObject({
    type: 'errored',
    error: { type: 'error', error: { type: expect.any(String) } },
  });
  const ids: string[] = [];
  for await (const each of anthropic.messages.batches.list({ limit: 1 })) ids.push(each.id);
  expect(ids).toContain(batch.id);
  expect(await anthropic.messages.batches.delete(batch.id)).toEqual({ id: batch.id, type: 'message_batch_deleted' });
  await expect(anthropic.messages.batches.retrieve(batch.id)).rejects.toMatchObject({ status: 404 });
});

test('a message batch is the same resource in the other format', async () => {
  const params = { model: 'sim-chat', max_tokens: 100, messages };
  const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'one', params }] });
  const other = id.replace('msgbatch_', 'batch_');
  const batch = await ended(other);
  expect(batch).toMatchObject({ id: other, endpoint: '/v1/messages', request_counts: { total: 1, completed: 1 } });
  expect(await linesOf(batch.output_file_id)).toMatchObject([{ response: { body: { type: 'message' } } }]);
});

test('the Anthropic SDK cancels a message batch', async () => {
  const params = { model: 'sim-chat', max_tokens: 100, messages };
  const requests = Array.from({ length: 40 }, (_, at) => ({ custom_id: `r${at}`, params }));
  const { id } = await anthropic.messages.batches.create({ requests });
  const cancelled = await anthropic.messages.batches.cancel(id);
  expect(cancelled.cancel_initiated_at).toMatch(/^\d{4}-/);
  await expect.poll(async () => (await anthropic.messages.batches.retrieve(id)).processing_status).toBe('ended');
  const { request_counts: counts } = await anthropic.messages.batches.retrieve(id);
  expect(counts.succeeded + counts.canceled).toBe(40);
});

test('the openai SDK throws the class of each error', async () => {
  const missing = 'batch_20260101000000000000000000000';
  const file = await upload([lineOf('a', { model: 'sim-chat', messages })]);
  const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  await expect(openai.batches.retrieve(missing)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(openai.batches.cancel(missing)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(openai.files.content('file-missing')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  const wrong = openai.batches.create({ ...order, input_file_id: 'file-missing' });
  await expect(wrong).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  const stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-wrong', maxRetries: 0 });
  await expect(stranger.batches.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(stranger.files.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  const { id } = await openai.batches.create(order);
  await ended(id);
  await expect(openai.batches.cancel(id)).rejects.toBeInstanceOf(OpenAI.ConflictError);
});

test('the openai SDK pages through files in both orders', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await upload(['{}'])).id);
  const listed = async (order: 'asc' | 'desc'): Promise<readonly string[]> => {
    const all: string[] = [];
    for await (const { id } of openai.files.list({ limit: 2, order })) if (ids.includes(id)) all.push(id);
    return all;
  };
  expect(await listed('asc')).toEqual(ids);
  expect(await listed('desc')).toEqual(ids.toReversed());
});

test('the Anthropic SDK pages forwards and backwards, and throws the class of each error', async () => {
  const { batches } = anthropic.messages;
  const params = { model: 'sim-chat', max_tokens: 100, messages };
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push((await batches.create({ requests: [{ custom_id: 'one', params }] })).id);
  const [first = '', second, last = ''] = ids;
  const idsOf = ({ data }: { readonly data: readonly { readonly id: string }[] }) => data.map(({ id }) => id);
  expect(idsOf(await batches.list({ limit: 2, after_id: last }))).toEqual([second, first]);
  const back = await batches.list({ limit: 1, before_id: first });
  expect([idsOf(back), back.has_more]).toEqual([[second], true]);
  expect(idsOf(await back.getNextPage())).toEqual([last]);
  await expect(batches.retrieve('msgbatch_missing')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  await expect(batches.delete('msgbatch_missing')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  await expect(batches.create({ requests: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  const twice = [1, 2].map(() => ({ custom_id: 'one', params }));
  await expect(batches.create({ requests: twice })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
});
