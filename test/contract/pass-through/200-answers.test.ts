import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { expectGatewayHeaders } from '../../expectations.ts';
import { json } from '../../fakes/fake-provider.ts';
import type { TestGateway } from '../../gateways/gateway.ts';
import { body, recordOf, startPassThroughGateway } from './pass-through-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startPassThroughGateway();
});
afterAll(() => gateway.stop());

const used = { prompt_tokens: 10, total_tokens: 10 };
const vectors = (embedding: unknown) => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding }],
  model: 'theirs',
  usage: used,
});

test('embeddings are sent unchanged except for the model, and the reply has the catalog’s model name', async () => {
  gateway.provider.respond('embed', json(200, vectors([0.5, -0.25])));
  const reply = await gateway.post('/v1/embeddings', { input: ['a', 'b'], model: 'embed-latest', extra: { x: 1 } });
  expectGatewayHeaders(reply);
  expect(reply.json).toEqual({ ...vectors([0.5, -0.25]), model: 'embed' });
  const call = gateway.provider.calls.at(-1)!;
  expect(call.path).toBe('/v1/embeddings');
  expect(call.text).toBe('{"input":["a","b"],"model":"embed","extra":{"x":1}}');
  expect(call.headers['authorization']).toBe('Bearer sk-upstream-canary');
  const record = await recordOf(gateway, reply);
  expect(record).toMatchObject({ surface: '/v1/embeddings', model: 'embed', status: 200, prompt_tokens: 10 });
  expect(BigInt(record.cost!)).toBe(20_000n);
  await expectAtRest(gateway.gateway);
});

test('embeddings are charged at the price of the time at which they were sent', async () => {
  gateway.provider.respond('peak', json(200, vectors([0.5])));
  const reply = await gateway.post('/v1/embeddings', { input: 'a', model: 'peak' });
  expect(BigInt((await recordOf(gateway, reply)).cost!)).toBe(60_000n);
});

test('vectors have the requested encoding, independent of the provider’s', async () => {
  const packed = Buffer.from(Float32Array.from([0.5, -0.25]).buffer).toString('base64');
  gateway.provider.respond('embed', json(200, vectors([0.5, -0.25])));
  const base64 = await gateway.post('/v1/embeddings', { input: 'a', model: 'embed', encoding_format: 'base64' });
  expect(base64.json.data[0].embedding).toBe(packed);
  gateway.provider.respond('embed', json(200, vectors(packed)));
  const float = await gateway.post('/v1/embeddings', { input: 'a', model: 'embed' });
  expect(float.json.data[0].embedding).toEqual([0.5, -0.25]);
});

test('the gateway counts the tokens of embeddings if the provider does not', async () => {
  gateway.provider.respond('embed', json(200, { ...vectors([1]), usage: undefined }));
  const record = await recordOf(
    gateway,
    await gateway.post('/v1/embeddings', { input: 'one two three', model: 'embed' }),
  );
  expect(record.usage_source).toBe('counted');
  expect(record.prompt_tokens).toBeGreaterThan(1);
  expect(Number(record.cost)).toBe(record.prompt_tokens! * 2000);
});

test('a large answer is passed on completely, with its usage and the catalog’s model name', async () => {
  const many = {
    model: 'theirs',
    object: 'list',
    data: Array.from({ length: 3000 }, (_, index) => ({ index, embedding: Array(80).fill(0.123) })),
    usage: used,
  };
  gateway.provider.respond('embed', json(200, many));
  const reply = await gateway.post('/v1/embeddings', { input: 'a', model: 'embed' });
  expect(reply.text.length).toBeGreaterThan(1024 * 1024);
  expect(reply.json).toEqual({ ...many, model: 'embed' });
  expect((await recordOf(gateway, reply)).prompt_tokens).toBe(10);
});

test.each([
  [
    'rerank',
    '/v1/rerank',
    { model: 'ranker', query: 'q', documents: ['a', 'b'] },
    { results: [{ index: 1 }] },
    1_000_000n,
  ],
  ['moderations', '/v1/moderations', { model: 'judge', input: 'x' }, { results: [{ flagged: true }] }, 0n],
  [
    'images',
    '/v1/images/generations',
    { model: 'paint', prompt: 'x', n: 3 },
    { data: [{ url: 'u' }, { url: 'v' }] },
    80_000_000n,
  ],
])('%s is passed on and charged by its unit', async (_name, path, request, answer, cost) => {
  gateway.provider.respond(request.model, json(200, answer));
  const reply = await gateway.post(path, request);
  expect(reply.json).toEqual(answer);
  expect(gateway.provider.calls.at(-1)).toMatchObject({ path, body: request });
  expect(BigInt((await recordOf(gateway, reply)).cost!)).toBe(cost);
});

test('speech is passed on byte for byte, and charged by the character', async () => {
  const sound = Buffer.from([0xff, 0xf3, 0x00, 0x80, 0x0a]);
  gateway.provider.respond('voice', body('audio/mpeg', sound));
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const request = { model: 'voice', input: 'Grüße 👋', voice: 'calm' };
  const reply = await fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
  expect(reply.headers.get('content-type')).toBe('audio/mpeg');
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(sound);
  expect(Number((await recordOf(gateway, reply)).cost)).toBe(7 * 15_000);
});

test('a recording is sent unchanged except for the model, and charged by the second', async () => {
  gateway.provider.respond(
    'POST /v1/audio/transcriptions',
    json(200, { text: 'hello', usage: { type: 'duration', seconds: 4 } }),
  );
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(64_000, 0x80)]), 'a.mp3');
  form.append('model', 'ears');
  form.append('language', 'en');
  const headers = { authorization: `Bearer ${gateway.key}` };
  const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  expect(await reply.json()).toEqual({ text: 'hello', usage: { type: 'duration', seconds: 4 } });
  const call = gateway.provider.calls.at(-1)!;
  expect(call.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(call.text).toMatch(/name="model"\r\n\r\nears\r\n/);
  expect(call.text).toContain('name="language"\r\n\r\nen\r\n');
  const record = await recordOf(gateway, reply);
  expect(Number(record.cost)).toBe(4 * 100_000);
  expect(JSON.parse(record.tool_uses!)).toEqual({ 'unit:request': 1, 'unit:second': 4 });
  await expectAtRest(gateway.gateway);
});

test('the duration of a recording is read from its subtitles', async () => {
  const subtitles = 'WEBVTT\n\n00:00:01.000 --> 00:01:05.250\nhello\n';
  gateway.provider.respond('POST /v1/audio/transcriptions', body('text/vtt', subtitles));
  const form = new FormData();
  form.append('model', 'ears');
  form.append('file', new Blob([Buffer.alloc(100_000)]), 'a.mp3');
  const headers = { authorization: `Bearer ${gateway.key}` };
  const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  expect(await reply.text()).toBe(subtitles);
  expect(Number((await recordOf(gateway, reply)).cost)).toBe(65 * 100_000);
});

test('models without a chat surface are listed with their endpoints, and only those accept them', async () => {
  const { json: list } = await gateway.get('/v1/models');
  const tags = Object.fromEntries(list.data.map((each: any) => [each.id, each.supported_endpoint_types]));
  expect(tags).toMatchObject({ embed: ['embeddings'], ears: ['transcriptions'] });
  expect(tags.plain.at(-1)).toBe('openai');
  expect((await gateway.chat({ model: 'embed' })).status).toBe(403);
  expect((await gateway.post('/v1/embeddings', { model: 'plain', input: 'x' })).status).toBe(403);
});

test('a service tier is removed, and the record notes it; the speed of a voice is sent', async () => {
  gateway.provider.respond('embed', json(200, vectors([1])));
  const reply = await gateway.post('/v1/embeddings', {
    input: 'a',
    model: 'embed',
    service_tier: 'priority',
    speed: 'fast',
  });
  expect(gateway.provider.calls.at(-1)?.text).toBe('{"input":"a","model":"embed"}');
  const { notes } = await recordOf(gateway, reply);
  expect(notes).toBe(JSON.stringify(["left out, because it changes the provider's price: service_tier, speed"]));
  gateway.provider.respond('voice', body('audio/mpeg', Buffer.from('sound')));
  await gateway.post('/v1/audio/speech', { input: 'a', model: 'voice', voice: 'v', speed: 1.5, service_tier: 'flex' });
  expect(gateway.provider.calls.at(-1)?.text).toBe('{"input":"a","model":"voice","voice":"v","speed":1.5}');
});
