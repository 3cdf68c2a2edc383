import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, endings, hang, sse } from '../../fakes/fake-replies.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, { url }) => {
    const upstream = { name: 'narrow', kind: 'openai', base_url: url, max_concurrency: 2, timeouts: patientTimeouts };
    const price = { input: '100', output: '300' };
    const routes = [{ upstream: 'narrow' }];
    return {
      ...base,
      upstreams: [...(base['upstreams'] as object[]), upstream],
      models: [
        ...(base['models'] as object[]),
        model('stuck', { routes, price }),
        model('stuck-vectors', { routes, price, endpoints: ['embeddings'] }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

const messages = [{ role: 'user', content: 'hello' }];
const bodies = {
  '/v1/chat/completions': { model: 'stuck', messages },
  '/v1/responses': { model: 'stuck', input: 'hello' },
  '/v1/messages': { model: 'stuck', max_tokens: 100, messages },
  '/v1/embeddings': { model: 'stuck-vectors', input: 'word '.repeat(20) },
};

/** Requests of a model so far. */
const calls = new Map<string, number>();

test.each([
  ...Object.entries(bodies).map(([endpoint, body]) => ['before its reply begins', endpoint, body, hang()] as const),
  ...Object.entries(bodies)
    .filter(([endpoint]) => endpoint !== '/v1/embeddings')
    .map(
      ([endpoint, body]) =>
        ['in its answer', endpoint, body, sse([chunk({ content: 'Hello' }), endings.hang])] as const,
    ),
])('a cancelled batch ends a request that hangs %s, for %s, and pays its prompt', async (_, endpoint, body, reply) => {
  gateway.provider.respond(body.model, reply);
  const index = calls.get(body.model) ?? 0;
  calls.set(body.model, index + 1);
  const path = await createBatch(endpoint, body);
  const { received, aborted } = gateway.provider.call(body.model, index);
  await received;
  await gateway.post(`${path}/cancel`, {});
  await aborted;
  await expect.poll(async () => (await gateway.get(path)).json.status).toBe('cancelled');
  const { request_counts: counts, error_file_id: errors } = (await gateway.get(path)).json;
  expect(counts).toMatchObject({ total: 1, completed: 0 });
  const { error, response } = (await gateway.get(`/v1/files/${errors}/content`)).json;
  expect([error.code, response]).toEqual(['batch_cancelled', null]);
  const { db } = gateway.gateway.store;
  const id = path.slice('/v1/batches/batch_'.length);
  const { cost } = await db.selectFrom('batches').select('cost').where('id', '=', id).executeTakeFirstOrThrow();
  const charges = await db.selectFrom('transfers').select('amount').where('kind', '=', 'charge').execute();
  expect(Number(cost)).toBeGreaterThan(0);
  expect(charges.map(({ amount }) => -Number(amount))).toContain(Number(cost));
  expect(gateway.gateway.alive()).toMatchObject({ answers: 0, requests: 0, holds: 0 });
});

test('a stop ends a request of a batch that hangs at its provider, also if no client is connected', async () => {
  gateway.provider.respond('stuck', hang());
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push(await createBatch('/v1/chat/completions', bodies['/v1/chat/completions']));
  const { received, aborted } = gateway.provider.call('stuck', calls.get('stuck'));
  await received;
  await expect.poll(() => gateway.gateway.alive().requests).toBe(ids.length);
  // It rejects if a line is left.
  await gateway.gateway.stop({ graceMs: 1 });
  await aborted;
});

async function createBatch(url: string, body: object): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([JSON.stringify({ custom_id: 'a', method: 'POST', url, body })]), 'lines.jsonl');
  const authorization = `Bearer ${gateway.key}`;
  const file = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers: { authorization }, body: form });
  const batch = { input_file_id: ((await file.json()) as { id: string }).id, endpoint: url, completion_window: '24h' };
  return `/v1/batches/${(await gateway.post('/v1/batches', batch)).json.id}`;
}
