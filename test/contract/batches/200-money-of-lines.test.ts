import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, gate, json, sse } from '../../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { metricsIn, sumIn } from '../../metrics-text.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, { url }) => {
    const narrow = [{ upstream: 'narrow' }];
    const upstream = { name: 'narrow', kind: 'openai', base_url: url, max_concurrency: 2, timeouts: patientTimeouts };
    return {
      ...base,
      listen: { host: '127.0.0.1', port: 0, health_port: 0 },
      upstreams: [...(base['upstreams'] as object[]), upstream],
      models: [
        ...(base['models'] as object[]),
        model('blocker', { routes: narrow }),
        // A line holds 0.3, and an interactive request 0.9.
        model('slow', { routes: narrow, max_output_tokens: 1000, price: { input: '0', output: '300' } }),
        model('vectors', { routes: narrow, endpoints: ['embeddings'], price: { input: '800', output: '0' } }),
        model('dear', { max_output_tokens: 1000, price: { input: '0', output: '900' } }),
      ],
      accounts: [...(base['accounts'] as object[]), { name: 'modest', package: 'standard', credit: '1.00' }],
    };
  });
  gateway.provider.respond('slow', answer('Done'));
  gateway.provider.respond('dear', answer('Here'));
  const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  gateway.provider.respond('vectors', json(200, { object: 'list', data, model: 'vectors', usage }));
});
afterAll(() => gateway.stop());

const messages = [{ role: 'user', content: 'hello' }];
const ids = ['a', 'b', 'c', 'd'];

async function createBatch(key: string, endpoint: string, body: object): Promise<string> {
  if (endpoint === '/v1/messages') {
    const requests = ids.map((id) => ({ custom_id: id, params: body }));
    return (await gateway.post('/anthropic/v1/messages/batches', { requests }, { 'x-api-key': key })).json.id;
  }
  const authorization = `Bearer ${key}`;
  const lines = ids.map((id) => JSON.stringify({ custom_id: id, method: 'POST', url: endpoint, body }));
  const form = new FormData();
  form.append('file', new Blob([lines.join('\n')]), 'lines.jsonl');
  form.append('purpose', 'batch');
  const uploaded = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers: { authorization }, body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const batch = { input_file_id: id, endpoint, completion_window: '24h' };
  return (await gateway.post('/v1/batches', batch, { authorization })).json.id;
}

async function idleWaiting(): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`);
  return sumIn(metricsIn(await reply.text()), 'gateway_idle_waiting');
}

const long = 'word '.repeat(20);
test.for([
  ['/v1/chat/completions', { model: 'slow', messages }],
  ['/v1/responses', { model: 'slow', input: 'hello' }],
  ['/v1/messages', { model: 'slow', max_tokens: 1000, messages }],
  ['/v1/embeddings', { model: 'vectors', input: long }],
] as const)('lines for %s that wait for a slot leave the money to interactive requests', async ([endpoint, body]) => {
  const ended = gate();
  gateway.provider.respond('blocker', sse([ended.opened, '[DONE]']));
  const blocker = gateway.chat({ model: 'blocker', stream: true });
  await expect.poll(() => gateway.gateway.inFlight().answers).toBe(1);
  try {
    const key = await gateway.newKey({ account: 'modest' });
    const id = await createBatch(key, endpoint, body);
    await expect.poll(idleWaiting).toBe(ids.length);
    expect(gateway.gateway.alive().holds).toBe(1);
    const reply = await gateway.chat({ model: 'dear' }, { authorization: `Bearer ${key}` });
    expect([reply.status, id]).toEqual([200, expect.any(String)]);
  } finally {
    ended.open();
    await blocker;
  }
  const batches = gateway.gateway.store.db.selectFrom('batches').select(['state', 'succeeded', 'cost']);
  const last = () => batches.orderBy('id', 'desc').limit(1).executeTakeFirst();
  await expect.poll(last).toMatchObject({ state: 'completed', succeeded: ids.length });
  expect(Number((await last())!.cost)).toBeGreaterThan(0);
});
