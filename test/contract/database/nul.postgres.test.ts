import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, ownerBrowser } from '../../browser.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

/** PostgreSQL cannot store a NUL character. */
let gateway: TestGateway;
let owner: Browser;
let database: string;
beforeAll(async () => {
  database = await newDatabase();
  gateway = await startTestGateway((base) => ({ ...base, database, secret: '7'.repeat(64) }));
  owner = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(async () => {
  await gateway.stop();
  await dropDatabase(database);
});

const messages = [{ role: 'user', content: 'hello \0' }];
const endpoint = '/v1/chat/completions';

async function upload(name: string, text: string): Promise<Response> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([text]), name);
  const headers = { authorization: `Bearer ${gateway.key}` };
  return fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
}

test.each([
  '/v1/files/file-%00',
  '/v1/batches/%00',
  '/v1/responses/%00',
  '/v1/models/%00',
  '/v1/files?after=%00',
  '/v1/batches?after=%00',
  '/admin/v1/accounts/%00',
  '/admin/v1/accounts?search=%00',
  '/admin/v1/keys?search=a%00b',
  '/admin/v1/search?q=%00',
  '/admin/v1/requests?model=%00',
  '/account/v1/keys/%00',
  '/app/%00',
])('GET %s is refused', async (path) => {
  const send = path.startsWith('/v1') ? gateway.get(path) : owner.send('GET', path);
  expect((await send).status).toBe(400);
});

test.each([
  ['/admin/v1/accounts', { name: 'a\0', package: 'standard' }],
  ['/admin/v1/accounts', { name: 'a', display_name: 'b\0', package: 'standard' }],
  ['/admin/v1/keys', { account: 'tester\0', name: 'k' }],
  ['/admin/v1/keys', { account: 'tester', name: 'k', models: ['a\0'] }],
  ['/admin/v1/organisations', { name: 'o', 'x\0': 1 }],
])('POST %s with %j is refused', async (path, body) => {
  const reply = await owner.send('POST', path, body);
  expect([path, reply.status]).toEqual([path, 400]);
});

test.each([
  [endpoint, { model: 'plain', messages, user: 'u\0', metadata: { a: '\0' } }],
  [endpoint, { model: 'plain', messages, prompt_cache_key: 'a\0', safety_identifier: 'b\0' }],
  ['/v1/completions', { model: 'plain', prompt: 'a\0', user: 'b\0' }],
  ['/v1/responses', { model: 'plain', input: 'a\0', metadata: { a: 'b\0' }, user: 'c\0' }],
  ['/v1/responses', { model: 'plain', input: 'a', background: true, store: true, metadata: { a: 'b\0' } }],
])('POST %s with NUL characters in texts is answered', async (path, body) => {
  expect((await gateway.post(path, body)).status).toBe(200);
});

test.each([
  ['/v1/responses', { model: 'plain', input: 'a', previous_response_id: 'resp_\0' }, 400],
  [endpoint, { model: 'plain\0', messages }, 403],
  ['/v1/batches', { input_file_id: 'file-\0', endpoint, completion_window: '24h' }, 400],
])('POST %s with NUL characters in ids is refused: %j', async (path, body, status) => {
  expect((await gateway.post(path, body)).status).toBe(status);
});

test('a file name may have a NUL character, a custom_id may not', async () => {
  const line = { custom_id: 'a\0', method: 'POST', url: endpoint, body: { model: 'plain', messages } };
  const uploaded = await upload('a\0.jsonl', JSON.stringify(line));
  expect(uploaded.status).toBe(200);
  const { id } = (await uploaded.json()) as { readonly id: string };
  const { json } = await gateway.post('/v1/batches', {
    input_file_id: id,
    endpoint,
    completion_window: '24h',
    metadata: { a: 'b\0' },
  });
  const read = async () => (await gateway.get(`/v1/batches/${json.id}`)).json;
  await expect.poll(async () => (await read()).status).toBe('failed');
  expect((await read()).errors.data).toMatchObject([{ code: 'missing_required_parameter', param: 'custom_id' }]);
});
