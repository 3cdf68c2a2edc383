import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startGateway } from '../../src/app/main.ts';
import { expectSound } from '../at-rest.ts';
import { answer, gate, sse } from '../fakes/fake-provider.ts';
import { fakeSigns } from '../fakes/fake-signs.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

async function* formOf(lines: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n');
  yield* lines;
  yield Buffer.from('\r\n--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x--\r\n');
}

function client(port: number) {
  const call = async (method: string, path: string, body?: string | ReadableStream, type?: string) => {
    const headers = { authorization: `Bearer ${gateway.key}`, ...(type && { 'content-type': type }) };
    const init = { method, headers, ...(body && { body, duplex: 'half' as const }) };
    return fetch(`http://127.0.0.1:${port}${path}`, init);
  };
  return {
    get: (path: string) => call('GET', path),
    post: (path: string, value: object) => call('POST', path, JSON.stringify(value), 'application/json'),
    upload: (lines: AsyncIterable<Buffer> | Iterable<Buffer>) =>
      call(
        'POST',
        '/v1/files',
        ReadableStream.from(formOf(lines)) as ReadableStream,
        'multipart/form-data; boundary=x',
      ),
  };
}

async function idOf(response: Response): Promise<string> {
  const value = (await response.json()) as { readonly id?: string };
  return value.id ?? expect.unreachable(JSON.stringify(value));
}

test('another process completes the batch of a killed one, with each custom_id once', async () => {
  gateway = await startServedGateway();
  const before = client(gateway.port);
  const { opened } = gate();
  gateway.provider.respond('other', answer('hello'), answer('hello'), answer('hello'), sse([opened]));
  const body = { model: 'other', messages: [{ role: 'user', content: 'hello' }] };
  const customIds = Array.from({ length: 12 }, (_, at) => `line-${at}`);
  const lines = customIds.map((custom_id) =>
    Buffer.from(`${JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body })}\n`),
  );
  const fileId = await idOf(await before.upload(lines));
  const order = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const id = await idOf(await before.post('/v1/batches', order));
  const counts = async (port: number) =>
    ((await (await client(port).get(`/v1/batches/${id}`)).json()) as any).request_counts;
  await expect.poll(async () => (await counts(gateway.port)).completed, { message: 'three lines have ended' }).toBe(3);
  await expect.poll(() => gateway.provider.calls.length, { message: 'other lines run' }).toBeGreaterThan(3);
  gateway.signal('SIGKILL');
  await gateway.exit();
  gateway.provider.respond('other', answer('hello'));
  const store = await gateway.openStore();
  // As if the killed process had been silent for 30 s.
  await store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();
  const text = await readFile(join(gateway.directory, 'gateway.yaml'), 'utf8');
  const next = await startGateway(loadedConfig(text, gateway.directory), { env: {}, signs: fakeSigns() });
  try {
    const after = client(next.address.port);
    await expect
      .poll(async () => ((await (await after.get(`/v1/batches/${id}`)).json()) as any).status)
      .toBe('completed');
    const batch = (await (await after.get(`/v1/batches/${id}`)).json()) as any;
    const texts = [batch.output_file_id, batch.error_file_id]
      .filter((file) => file !== null)
      .map(async (file) => (await after.get(`/v1/files/${file}/content`)).text());
    const found = (await Promise.all(texts)).join('').trimEnd().split('\n');
    expect(found.map((line) => String(JSON.parse(line).custom_id)).toSorted()).toEqual(customIds.toSorted());
    expect(batch.request_counts.total).toBe(12);
    // Recovery may have charged checkpoints of the killed process; the account got them back.
    const kinds = ['charge', 'charge-rest'] as const;
    const charges = await store.db.selectFrom('transfers').select('amount').where('kind', 'in', kinds).execute();
    const row = await store.db.selectFrom('batches').select('cost').executeTakeFirstOrThrow();
    expect(charges.reduce((sum, { amount }) => sum - Number(amount), 0)).toBe(Number(row.cost));
    await expectSound(store);
  } finally {
    await next.stop({ graceMs: 0 });
  }
});

test('an upload of 200 MB needs the memory of a few chunks', async () => {
  gateway = await startServedGateway();
  const line = Buffer.from(`${JSON.stringify({ custom_id: 'a', padding: 'x'.repeat(64 * 1024) })}\n`);
  const pieces = Math.floor((200 * 1024 * 1024) / line.length);
  const before = await gateway.memoryBytes();
  let most = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    for (let at = 0; at < pieces; at += 1) {
      yield line;
      if (at % 200 === 0) most = Math.max(most, await gateway.memoryBytes());
    }
  }
  const response = await client(gateway.port).upload(lines());
  expect(response.status).toBe(200);
  expect(((await response.json()) as any).bytes).toBe(pieces * line.length);
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
});
