import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { RawClient } from '../raw-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    batches: { account_bytes_max: '100MiB' },
    accounts: [...(base['accounts'] as object[]), { name: 'other', package: 'standard' }],
  }));
});
afterAll(() => gateway.stop());

const endpoint = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'hello' }];
const body = { model: 'plain', messages };

function lineOf(customId: unknown, more: object = {}): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url: endpoint, body, ...more });
}

function formOf(content: string | Buffer, fields = 'purpose'): Buffer {
  return Buffer.concat([
    Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'),
    Buffer.from(content),
    Buffer.from(`\r\n--x\r\ncontent-disposition: form-data; name="${fields}"\r\n\r\nbatch\r\n--x--\r\n`),
  ]);
}

async function upload(content: string | Buffer, key = gateway.key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' };
  const init = { method: 'POST', headers, body: new Uint8Array(formOf(content)) };
  const response = await fetch(`${gateway.url}/v1/files`, init);
  return { status: response.status, json: (await response.json()) as any };
}

/** The ended batch of a file, which is deleted afterwards. */
async function batchOf(content: string | Buffer) {
  const { status, json: file } = await upload(content);
  expect([status, file.error]).toEqual([200, undefined]);
  const order = { input_file_id: file.id, endpoint, completion_window: '24h' };
  const { json } = await gateway.post('/v1/batches', order);
  const find = async () => (await gateway.get(`/v1/batches/${json.id}`)).json;
  await expect.poll(async () => (await find()).status).toMatch(/^(completed|failed)$/);
  const batch = await find();
  for (const id of [file.id, batch.output_file_id, batch.error_file_id].filter(Boolean)) await remove(id);
  return batch;
}

async function remove(id: string): Promise<void> {
  const init = { method: 'DELETE', headers: { authorization: `Bearer ${gateway.key}` } };
  expect((await fetch(`${gateway.url}/v1/files/${id}`, init)).status).toBe(200);
}

/** No upload has left a file or a chunk. */
async function expectNoFiles(): Promise<void> {
  const { db } = gateway.gateway.store;
  const chunks = db.selectFrom('sealed_blobs').select('id').where('kind', 'in', ['files', 'batch_lines']);
  await expect.poll(() => db.selectFrom('files').select(['id', 'state']).execute()).toEqual([]);
  await expect.poll(() => chunks.execute()).toEqual([]);
  await expectAtRest(gateway.gateway);
}

const files: Readonly<
  Record<string, readonly [content: string | Buffer, errors: readonly (readonly [string, number | null])[]]>
> = {
  'an empty file': ['', [['empty_file', null]]],
  'a file of blank lines': ['\r\n \n\t\n', [['empty_file', null]]],
  'lines with a byte order mark, CRLF and blank lines': [`\u{feff}${lineOf('a')}\r\n\r\n${lineOf('b')}\r\n`, []],
  'a duplicate custom_id': [`${lineOf('a')}\n${lineOf('a')}\n`, [['duplicate_custom_id', 2]]],
  'a wrong url': [`${lineOf('a')}\n\n${lineOf('b', { url: '/v1/responses' })}`, [['mismatched_url', 3]]],
  'a wrong method': [lineOf('a', { method: 'GET' }), [['invalid_method', 1]]],
  'an unknown model': [lineOf('a', { body: { model: 'unknown', messages } }), [['model_not_found', 1]]],
  'a stream': [lineOf('a', { body: { ...body, stream: true } }), [['invalid_parameter', 1]]],
  'no body': [lineOf('a', { body: undefined }), [['missing_required_parameter', 1]]],
  '50,001 lines': [
    Array.from({ length: 50_001 }, (_, at) => lineOf(`line-${at}`)).join('\n'),
    [['too_many_tasks', null]],
  ],
  'invalid UTF-8': [
    Buffer.concat([Buffer.from(`${lineOf('a')}\n"`), Buffer.from([0xff, 0xfe]), Buffer.from('"\n')]),
    [['invalid_json_line', 2]],
  ],
  'a truncated line': [`${lineOf('a')}\n{"custom_id":"b"`, [['invalid_json_line', 2]]],
  'a custom_id that is a number': [lineOf(7), [['missing_required_parameter', 1]]],
  'a custom_id that is empty': [lineOf(''), [['missing_required_parameter', 1]]],
};

test.each(Object.entries(files))(
  '%s ends in the errors of its batch, and leaves nothing',
  async (_, [content, errors]) => {
    const batch = await batchOf(content);
    expect((batch.errors?.data ?? []).map(({ code, line }: any) => [code, line])).toEqual(errors);
    expect(batch.status).toBe(errors.length === 0 ? 'completed' : 'failed');
    await expectNoFiles();
  },
);

test('a line of 40 MB is refused at the limit of a request, and leaves nothing', async () => {
  const { status, json } = await upload(
    `${lineOf('a')}\n${lineOf('b', { pad: 'x'.repeat(40_000_000) })}\n${lineOf('c')}`,
  );
  expect([status, json.error.message]).toEqual([413, expect.stringContaining('Line 2 of the file')]);
  await expectNoFiles();
});

test('a line that is nested too deeply is refused as a live request is', async () => {
  const body = `{"model":"plain","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const text = `{"custom_id":"a","method":"POST","url":"${endpoint}","body":${body}}`;
  expect((await gateway.postText(endpoint, body)).status).toBe(400);
  const { status, errors } = await batchOf(text);
  expect([status, errors.data[0].code]).toEqual(['failed', 'invalid_json_line']);
  await expectNoFiles();
});

const line = lineOf('a');
const head = (length: number, more = ''): string =>
  `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n` +
  `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${length}\r\n${more}\r\n`;

/** Sends a request and ends the connection on its side. Returns the status, if there is one. */
async function send(bytes: readonly (string | Buffer)[]): Promise<number | undefined> {
  const client = await RawClient.connect(gateway.port);
  for (const each of bytes) client.send(each);
  client.socket.end();
  try {
    return (await client.response()).status;
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}

const broken: Readonly<Record<string, () => readonly (string | Buffer)[]>> = {
  'a form without its last boundary': () => [head(formOf(line).length - 7), formOf(line).subarray(0, -7)],
  'a form that ends in the file': () => [head(150), formOf(line).subarray(0, 150)],
  'a Content-Length that is too small': () => [head(150), formOf(line)],
  'a Content-Length that is too large': () => [head(formOf(line).length + 10), formOf(line)],
  'a client that ends in the middle': () => [head(10_000_000), formOf(`${line}\n`.repeat(5000)).subarray(0, 600_000)],
  'another boundary': () => [head(formOf(line).length).replace('boundary=x', 'boundary=y'), formOf(line)],
  'no purpose': () => [head(formOf(line, 'other').length), formOf(line, 'other')],
};

test.each(Object.entries(broken))('an upload with %s is refused, and leaves nothing', async (_, bytes) => {
  expect(await send(bytes())).toSatisfy((status) => status === undefined || status === 400);
  await expectNoFiles();
});

test('an upload beyond the quota of its account is refused in the middle, and the next one that fits succeeds', async () => {
  const pad = lineOf('a', { pad: 'x'.repeat(100_000) });
  const { status, json } = await upload(`${pad}\n`.repeat(1200));
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('files of this account')]);
  const fitting = await upload(`${pad}\n`.repeat(600));
  expect([fitting.status, fitting.json.error]).toEqual([200, undefined]);
  await remove(fitting.json.id);
  await expectNoFiles();
});

test('files are refused to a wrong key before their content is read', async () => {
  expect((await upload(line, 'sk-wrong')).status).toBe(401);
  await expectNoFiles();
});
