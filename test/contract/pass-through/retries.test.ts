import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { gate, json, type ScriptedReply } from '../../fake-provider.ts';
import type { TestGateway } from '../../gateway.ts';
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
