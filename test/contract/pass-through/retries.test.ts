import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ServedRequest } from '../../../src/serving/surfaces/served-request.ts';
import { expectAtRest } from '../../at-rest.ts';
import { gate, json, type ScriptedReply } from '../../fakes/fake-provider.ts';
import type { TestGateway } from '../../gateways/gateway.ts';
import { body, recordOf, startPassThroughGateway } from './pass-through-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startPassThroughGateway();
});
afterAll(() => gateway.stop());

const calls = (model: string) => gateway.provider.calls.filter(({ key }) => key === model).length;
const costs = (replies: readonly { headers: Headers }[]) =>
  Promise.all(replies.map(async (reply) => Number((await recordOf(gateway, reply)).cost)));

test('a retry with the same Idempotency-Key gets the same answer, with one call and one charge', async () => {
  const answer = {
    object: 'list',
    data: [{ index: 0, embedding: [1] }],
    usage: { prompt_tokens: 10, total_tokens: 10 },
  };
  gateway.provider.respond('embed', json(200, answer));
  const send = () => gateway.post('/v1/embeddings', { model: 'embed', input: 'x' }, { 'idempotency-key': 'one' });
  const before = calls('embed');
  const [first, second] = [await send(), await send()];
  expect(second.text).toBe(first.text);
  expect(calls('embed')).toBe(before + 1);
  expect(await costs([first, second])).toEqual([20_000, 0]);
  const other = await gateway.post('/v1/embeddings', { model: 'embed', input: 'y' }, { 'idempotency-key': 'one' });
  expect([other.status, other.json.error.message]).toEqual([400, expect.stringContaining('another body')]);
});

test('a retry gets a running sound stream from its first byte', async () => {
  const more = gate();
  const sound: ScriptedReply = async (writer) => {
    writer.head(200, { 'content-type': 'audio/mpeg' });
    await writer.body(Buffer.from([0, 0x80, 0xff]));
    await more.opened;
    await writer.body(Buffer.from([1, 2]));
    writer.end();
  };
  gateway.provider.respond('voice', sound);
  const headers = {
    authorization: `Bearer ${gateway.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'two',
  };
  const request = { method: 'POST', headers, body: JSON.stringify({ model: 'voice', input: 'four' }) };
  const before = calls('voice');
  const first = await fetch(`${gateway.url}/v1/audio/speech`, request);
  const second = await fetch(`${gateway.url}/v1/audio/speech`, request);
  more.open();
  for (const reply of [first, second]) {
    expect(reply.headers.get('content-type')).toBe('audio/mpeg');
    expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual([0, 0x80, 0xff, 1, 2]);
  }
  expect(calls('voice')).toBe(before + 1);
  expect(await costs([first, second])).toEqual([4 * 15_000, 0]);
  await expectAtRest(gateway.gateway);
});

test('two forms that differ only in their boundary are the same request', async () => {
  gateway.provider.respond('POST /v1/audio/transcriptions', body('text/plain', 'hello'));
  const send = (words: string) => {
    const form = new FormData();
    form.append('model', 'ears');
    form.append('prompt', words);
    form.append('file', new Blob([Buffer.alloc(4000)]), 'a.mp3');
    const headers = { authorization: `Bearer ${gateway.key}`, 'idempotency-key': 'three' };
    return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  };
  const before = gateway.provider.calls.length;
  const [first, second] = [await send('a'), await send('a')];
  expect([await first.text(), await second.text()]).toEqual(['hello', 'hello']);
  expect(gateway.provider.calls.length).toBe(before + 1);
  expect((await send('b')).status).toBe(400);
});

test('a retry gets a transcript that is not UTF-8 as the same bytes', async () => {
  const transcript = Buffer.from('caf\xe9', 'latin1');
  gateway.provider.respond('POST /v1/audio/transcriptions', body('text/plain', transcript));
  const ask = async () => {
    const form = new FormData();
    form.append('model', 'ears');
    form.append('file', new Blob([Buffer.alloc(4000)]), 'a.mp3');
    const headers = { authorization: `Bearer ${gateway.key}`, 'idempotency-key': 'four' };
    const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    return Buffer.from(await reply.arrayBuffer());
  };
  const before = gateway.provider.calls.length;
  expect([await ask(), await ask()]).toEqual([transcript, transcript]);
  expect(gateway.provider.calls.length).toBe(before + 1);
});

test('an answer that completes after its client left is charged once: a retry gets it without a second call', async () => {
  const { opened, open } = gate();
  const answer = { object: 'list', data: [], usage: { prompt_tokens: 10, total_tokens: 10 } };
  gateway.provider.respond('embed', async (writer, call) => {
    await opened;
    await json(200, answer)(writer, call);
  });
  const notes = vi.spyOn(ServedRequest.prototype, 'note');
  const client = new AbortController();
  const headers = {
    authorization: `Bearer ${gateway.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'five',
  };
  const body = JSON.stringify({ model: 'embed', input: 'z' });
  const ask = (signal?: AbortSignal) =>
    fetch(`${gateway.url}/v1/embeddings`, { method: 'POST', headers, body, signal: signal ?? null });
  const before = calls('embed');
  const first = ask(client.signal).catch(() => undefined);
  await expect.poll(() => calls('embed')).toBe(before + 1);
  client.abort();
  await first;
  await expect.poll(() => notes.mock.calls).toEqual([[expect.stringContaining('continued for a retry')]]);
  notes.mockRestore();
  open();
  const isRecorded = () =>
    gateway.gateway.store.db.selectFrom('requests').select('cost').where('client_gone', '=', 1).executeTakeFirst();
  await expect.poll(isRecorded).toEqual({ cost: expect.anything() });
  expect(await (await ask()).json()).toEqual(answer);
  expect(calls('embed')).toBe(before + 1);
});
