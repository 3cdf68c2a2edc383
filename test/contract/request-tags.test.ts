import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { catchUp } from '../../src/money/requests/rollups/rollup-worker.ts';
import { rollupTable } from '../../src/money/requests/rollups/usage-rollups.ts';
import { answer, json } from '../fakes/fake-provider.ts';
import { warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';
import { type GatewayReply, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [model('chat'), model('embed', { endpoints: ['embeddings'], price: { input: '2', output: '0' } })],
  }));
  gateway.provider.respond('chat', answer('Hello there'));
  gateway.provider.respond('embed', json(200, { object: 'list', data: [], usage: { prompt_tokens: 1 } }));
  await warmFastPath(gateway, 'chat');
});
afterAll(() => gateway.stop());

async function recordOf(reply: GatewayReply) {
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const find = () => findRequest(gateway.gateway.store, id);
  await expect.poll(find).toBeDefined();
  return find();
}

const messages = [{ role: 'user', content: 'hello' }];
const metadata = { team: 'search', tags: ['beta'] };

test.each([
  ['chat completions', '/v1/chat/completions', { messages, metadata }, ['team:search', 'beta']],
  ['responses', '/v1/responses', { input: 'hello', metadata: { team: 'search' } }, ['team:search']],
  ['messages', '/anthropic/v1/messages', { messages, max_tokens: 9, metadata: { user_id: 'kim' } }, undefined],
  [
    'messages with more metadata',
    '/anthropic/v1/messages',
    { messages, max_tokens: 9, metadata: { user_id: 'kim', team: 'search' } },
    ['team:search'],
  ],
])('the record of a request to %s has the tags of its metadata', async (_, path, body, tags) => {
  const reply = await gateway.post(path, { model: 'chat', stream: true, ...body }, { 'x-api-key': gateway.key });
  expect(reply.status, reply.text).toBe(200);
  const record = await recordOf(reply);
  expect(record?.tags).toEqual(tags);
  expect(record?.userId).toBe(path.startsWith('/anthropic') ? 'kim' : undefined);
});

test('the header gives tags on every endpoint, and metadata reaches the provider unchanged', async () => {
  const headers = { 'x-gateway-tags': 'team:search, env:prod' };
  const embedded = await gateway.post('/v1/embeddings', { model: 'embed', input: 'hello' }, headers);
  expect((await recordOf(embedded))?.tags).toEqual(['team:search', 'env:prod']);
  const chat = await gateway.post('/v1/chat/completions', { model: 'chat', stream: true, messages, metadata }, headers);
  expect((await recordOf(chat))?.tags).toEqual(['team:search', 'env:prod', 'beta']);
  expect(gateway.provider.calls.at(-1)?.body?.['metadata']).toEqual(metadata);
});

test('a header beyond the limits is refused; metadata beyond them is cut and noted', async () => {
  const many = Array.from({ length: 17 }, (_, index) => `t${index}`);
  const body = { model: 'chat', stream: true, messages };
  const refused = await gateway.post('/v1/chat/completions', body, { 'x-gateway-tags': many.join() });
  expect(refused.status).toBe(400);
  expect(refused.json.error.message).toContain('x-gateway-tags');
  const cut = await recordOf(await gateway.post('/v1/chat/completions', { ...body, metadata: { tags: many } }));
  expect(cut?.tags).toHaveLength(16);
  expect(cut?.notes).toContainEqual(expect.stringContaining('tags'));
});

test('a request counts for each of its tags, and a request without tags for none', async () => {
  const { store } = gateway.gateway;
  const found = await store.db.selectFrom('requests').select(['account_id', 'tags']).execute();
  await catchUp(store);
  const query = { accountId: found[0]?.account_id, by: 'tag', from: 0, to: Number.MAX_SAFE_INTEGER } as const;
  const { lines } = await rollupTable(store, query, { limit: 100, order: 'requests', points: { interval: 'hour' } });
  const requests = (tag: string | undefined) =>
    lines.find(({ value }) => (value.kind === 'value' ? value.value : undefined) === tag)?.sums.requests;
  const counted = (tag: string) => found.filter(({ tags }) => tags?.split('\n').includes(tag)).length;
  expect(requests('team:search')).toBe(counted('team:search'));
  expect(requests('beta')).toBe(counted('beta'));
  expect(requests(undefined)).toBe(found.filter(({ tags }) => tags === null).length);
});
