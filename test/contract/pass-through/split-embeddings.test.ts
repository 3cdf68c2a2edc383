import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { json, type ScriptedReply } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { recordOf } from './pass-through-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => {
    const [upstream] = base['upstreams'] as [object];
    const endpoints = { endpoints: ['embeddings'], price: { input: '2', output: '0' } };
    return {
      ...base,
      upstreams: [{ ...upstream, quirks: { embeddings_max: 3 } }],
      models: [
        model('embed', endpoints),
        model('few', { ...endpoints, routes: [{ upstream: 'fake', embeddings_max: 1 }] }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

/** Embeds each text as its length, returns the last one first, and counts one token per text. */
const embedder: ScriptedReply = (writer, call) => {
  const input = call.body!['input'] as readonly (string | readonly number[])[];
  const packed = (value: number) => Buffer.from(Float32Array.of(value).buffer).toString('base64');
  const isPacked = call.body!['encoding_format'] === 'base64';
  const data = input.map(({ length }, index) => ({
    object: 'embedding',
    index,
    embedding: isPacked ? packed(length) : [length],
  }));
  const usage = { prompt_tokens: input.length, total_tokens: input.length };
  return json(200, { object: 'list', data: data.toReversed(), model: call.key, usage })(writer, call);
};
const calls = (key: string) => gateway.provider.calls.filter((call) => call.key === key);
const words = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'ggggggg'];

test('more texts than the provider accepts are split into several calls, with one answer and one charge', async () => {
  gateway.provider.respond('embed', embedder);
  const reply = await gateway.post('/v1/embeddings', { model: 'embed', input: words, dimensions: 1, extra: true });
  expect(calls('embed').map(({ body }) => body)).toEqual(
    [words.slice(0, 3), words.slice(3, 6), words.slice(6)].map((input) => ({
      model: 'embed',
      input,
      dimensions: 1,
      extra: true,
    })),
  );
  expect(reply.json).toEqual({
    object: 'list',
    data: words.map(({ length }, index) => ({ object: 'embedding', index, embedding: [length] })),
    model: 'embed',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
  const record = await recordOf(gateway, reply);
  expect([record.prompt_tokens, Number(record.cost), record.attempts]).toEqual([7, 14_000, 1]);
  await expectAtRest(gateway.gateway);
});

test('base64 vectors are joined, token ids are split like texts, and a route can have a lower limit', async () => {
  gateway.provider.respond('few', embedder);
  const input = [
    [1, 2],
    [3, 4, 5],
  ];
  const reply = await gateway.post('/v1/embeddings', { model: 'few', input, encoding_format: 'base64' });
  const lengths = reply.json.data.map((each: any) => Buffer.from(each.embedding, 'base64').readFloatLE());
  expect([lengths, reply.json.usage.total_tokens]).toEqual([[2, 3], 2]);
  expect(calls('few')).toHaveLength(2);
  await gateway.post('/v1/embeddings', { model: 'few', input: [1, 2, 3] });
  expect(calls('few').at(-1)!.body).toMatchObject({ input: [1, 2, 3] });
});

test('one failed call fails the whole request, and nothing is charged', async () => {
  const short: ScriptedReply = json(200, { object: 'list', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } });
  gateway.provider.respond('embed', embedder, embedder, embedder, embedder, short);
  const reply = await gateway.post('/v1/embeddings', { model: 'embed', input: words });
  expect([reply.status, reply.json.error.type]).toEqual([502, 'upstream_error']);
  expect(Number((await recordOf(gateway, reply)).cost)).toBe(0);
  await expectAtRest(gateway.gateway);
});
