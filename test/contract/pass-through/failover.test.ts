import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { json } from '../../fakes/fake-provider.ts';
import {
  type ConfigChange,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../../gateways/gateway.ts';
import { jumpingClock } from '../../clocks/jumping-clock.ts';
import { body } from './pass-through-gateway.ts';

const clock = jumpingClock();
const firstEventMs = 120_000;
let gateway: TestGateway;
beforeAll(async () => {
  const change: ConfigChange = (base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'second', kind: 'openai', base_url: provider.url },
      {
        name: 'slow',
        kind: 'openai',
        base_url: provider.url,
        timeouts: { ...patientTimeouts, first_event: `${firstEventMs}ms` },
      },
      { name: 'other', kind: 'anthropic', base_url: provider.url, api_key: 'sk-other' },
    ],
    models: [
      model('patient', { endpoints: ['embeddings'], routes: [{ upstream: 'slow' }] }),
      model('embed', {
        endpoints: ['embeddings'],
        routes: [
          { upstream: 'other', model: 'unspoken' },
          { upstream: 'fake', model: 'first', priority: 1 },
          { upstream: 'second', model: 'last', priority: 2 },
        ],
      }),
    ],
  });
  gateway = await startTestGateway(change, { clock });
});
afterAll(() => gateway.stop());

test('a request fails over from an unsuitable and a failing provider to a third, with one charge', async () => {
  gateway.provider.respond('first', body('text/html', '<h1>hello</h1>'));
  gateway.provider.respond('last', json(200, { data: [], usage: { prompt_tokens: 5 } }));
  const reply = await gateway.post('/v1/embeddings', { model: 'embed', input: 'x' });
  expect(reply.json).toEqual({ data: [], usage: { prompt_tokens: 5 } });
  expect(gateway.provider.calls.map(({ key }) => key)).toEqual(['first', 'last']);
  await expectAtRest(gateway.gateway);
  const charges = await gateway.gateway.store.db
    .selectFrom('transfers')
    .select('amount')
    .where('kind', '=', 'charge')
    .execute();
  expect(charges.map(({ amount }) => Number(amount))).toEqual([-5000]);
});

test('a call without an answer is aborted after its timeout, and nothing is charged', async () => {
  gateway.provider.respond('patient', () => new Promise(() => {}));
  const replying = gateway.post('/v1/embeddings', { model: 'patient', input: 'x' });
  await gateway.provider.call('patient').received;
  clock.jump(firstEventMs);
  expect((await replying).status).toBe(504);
  await gateway.provider.call('patient').aborted;
  await expectAtRest(gateway.gateway);
  const record = gateway.gateway.store.db
    .selectFrom('requests')
    .select(['cost', 'status'])
    .where('requested_model', '=', 'patient');
  await expect.poll(() => record.execute()).toEqual([{ cost: null, status: 504 }]);
});
