import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../src/manage/admin/api/tokens.ts';
import { text } from '../fakes/fake-provider.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const endpoint = '/v1/chat/completions';

/** The first error of a batch with this file. Every look is another request to the same process. */
async function errorOfBatch(lines: string): Promise<unknown> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines]), 'lines.jsonl');
  const headers = { authorization: `Bearer ${gateway.key}` };
  const response = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = (await response.json()) as { readonly id: string };
  const { json } = await gateway.post('/v1/batches', { input_file_id: id, endpoint, completion_window: '24h' });
  const read = async () => (await gateway.get(`/v1/batches/${json.id}`)).json;
  await expect.poll(async () => (await read()).status).toBe('failed');
  return (await read()).errors.data[0];
}

async function sendCursor(position: string): Promise<void> {
  const { store, pepper } = gateway.gateway;
  const reader = { name: 'reader', role: 'read-only' as const, accountId: undefined };
  const { secret } = await createToken({ store, pepper, clock: systemClock }, reader);
  const path = `/admin/v1/accounts?cursor=${Buffer.from(position).toString('base64url')}`;
  expect((await gateway.get(path, { authorization: `Bearer ${secret}` })).status).toBe(400);
}

/** A provider may repeat in its refusal what the client sent. */
async function getRefused(refusal: string): Promise<void> {
  gateway.provider.respond('other', text(400, 'application/json', refusal));
  const messages = [{ role: 'user', content: 'hello' }];
  expect((await gateway.post(endpoint, { model: 'other', messages })).status).toBe(400);
}

/** After the engine has parsed such a text, it misreads the second name of each that begins in the same way. */
const crafted = (door: string) => String.raw`{"${door}":1,"\\":1}`;
const later = (door: string) => String.raw`{"${door}":1,"\n":1}`;

test('without a guard, a crafted name changes how a later text is read', () => {
  JSON.parse(crafted('unguarded'));
  expect(Object.keys(JSON.parse(later('unguarded')))).toEqual(['unguarded', '\\']);
});

test.each([
  ['a line of a batch', errorOfBatch],
  ['a cursor', sendCursor],
  ['a refusal of a provider', getRefused],
])('%s with a crafted name does not change how a later request is read', async (door, send) => {
  const name = door.replaceAll(' ', '_');
  await send(crafted(name));
  expect(Object.keys(JSON.parse(later(name)))).toEqual([name, '\n']);
});

test('a line of 27 MB of empty objects is refused by its number of values', async () => {
  const messages = `[${'{},'.repeat(9_000_000)}{}]`;
  const line = `{"custom_id":"a","method":"POST","url":"${endpoint}","body":{"model":"plain","messages":${messages}}}`;
  expect(await errorOfBatch(line)).toMatchObject({
    code: 'invalid_json_line',
    message: expect.stringContaining('more than 200008 values and names'),
    line: 1,
  });
});
