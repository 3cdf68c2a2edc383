import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    limits: { body_bytes_max: '64KiB' },
    batches: { message_batch_bytes_max: '1MiB', file_bytes_max: '64KiB' },
  }));
});
afterAll(() => gateway.stop());

const path = '/anthropic/v1/messages/batches';
const messages = [{ role: 'user', content: 'hello' }];

function request(customId: string, padding = 0) {
  return { custom_id: customId, params: { model: 'plain', max_tokens: 10, messages, system: 'x'.repeat(padding) } };
}

function create(body: string) {
  const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' };
  return fetch(gateway.url + path, { method: 'POST', headers, body });
}

const filesLeft = async () =>
  (await gateway.gateway.store.db.selectFrom('files').select('state').execute()).filter(
    ({ state }) => state !== 'deleted',
  );

test('a message batch may be larger than one request, and every request runs', async () => {
  const requests = Array.from({ length: 12 }, (_, index) => request(`r${index}`, 50_000));
  const reply = await create(JSON.stringify({ metadata: { any: [1] }, requests }));
  const json: any = await reply.json();
  expect([reply.status, json.request_counts]).toMatchObject([200, { processing: 12 }]);
  const at = `${path}/${json.id}`;
  await expect
    .poll(async () => (await gateway.get(at, { 'x-api-key': gateway.key })).json.processing_status, {
      message: 'the batch ends',
    })
    .toBe('ended');
  expect((await gateway.get(at, { 'x-api-key': gateway.key })).json.request_counts.succeeded).toBe(12);
  // Its input is deleted after its end. The output stays.
  await expect.poll(filesLeft, { message: 'files' }).toEqual([{ state: 'ready' }]);
});

test('the parameters of a request may have line breaks', async () => {
  const body = JSON.stringify({ requests: [request('a'), request('b')] }, null, 2).replaceAll('\n', '\r\n');
  const { id } = (await (await create(body)).json()) as { id: string };
  const headers = { 'x-api-key': gateway.key };
  await expect
    .poll(async () => (await gateway.get(`${path}/${id}`, headers)).json, { message: 'the batch ends' })
    .toMatchObject({ processing_status: 'ended', request_counts: { succeeded: 2 } });
  const results = await (await fetch(`${gateway.url}${path}/${id}/results`, { headers })).text();
  expect(results.match(/"type":"succeeded","message":\{/g)).toHaveLength(2);
});

test.each([
  ['a bad custom_id', [request('a'), request('b b')], 400, 'requests.1.custom_id: must have 1 to 64'],
  ['a custom_id twice', [request('a'), request('b'), request('a')], 400, 'requests.2.custom_id: an earlier request'],
  ['no params', [request('a'), { custom_id: 'b' }], 400, 'requests.1.params'],
  ['a request that is too long', [request('a'), request('b', 70_000)], 400, 'requests.1 is longer than'],
  ['no request', [], 400, 'Send at least one request'],
  ['too many bytes', Array.from({ length: 25 }, (_, index) => request(`r${index}`, 50_000)), 413, ''],
] as const)('a message batch with %s is refused and leaves no file', async (_name, requests, status, words) => {
  const before = await filesLeft();
  const reply = await create(JSON.stringify({ requests }));
  const text = await reply.text();
  expect([reply.status, text]).toEqual([status, expect.stringContaining(words)]);
  await expect.poll(filesLeft, { message: 'files' }).toEqual(before);
});

test('a body that is no JSON is refused with the index of the request', async () => {
  const text = JSON.stringify({ requests: [request('a'), request('b')] }).replace('"b"', 'b');
  const reply = await create(text);
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('requests.1 is not valid JSON')]);
});

test('a client that disconnects in the middle of the body leaves nothing behind', async () => {
  const before = await filesLeft();
  const body = JSON.stringify({ requests: [request('a', 50_000), request('b', 50_000)] });
  const socket = connect(gateway.port, '127.0.0.1');
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `x-api-key: ${gateway.key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 90_000)}`);
  await expect.poll(async () => (await filesLeft()).length, { message: 'the file begins' }).toBe(before.length + 1);
  socket.destroy();
  await expect.poll(filesLeft, { message: 'files' }).toEqual(before);
});
