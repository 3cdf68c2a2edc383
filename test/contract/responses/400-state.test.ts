import { expect, test } from 'vitest';
import { answer } from '../../fakes/fake-provider.ts';
import { startTestGateway } from '../../gateways/gateway.ts';

test('a gateway without stored responses rejects references, and serves other requests', async () => {
  const gateway = await startTestGateway((base) => ({ ...base, responses: { retention: 0 } }));
  const send = (body: object) => gateway.post('/v1/responses', { model: 'plain', input: 'hello', ...body });
  const { json } = await send({});
  expect(json).toMatchObject({ status: 'completed', store: false });
  expect((await send({ store: true })).json.error.message).toContain('not stored here');
  const next = await send({ previous_response_id: json.id });
  expect(next.json.error).toMatchObject({ code: 'previous_response_not_found' });
  expect(next.json.error.message).toContain('not stored here');
  const reference = await send({ input: [{ type: 'item_reference', id: json.output[0].id }] });
  expect(reference.json.error.message).toContain('not stored here');
  expect((await gateway.get(`/v1/responses/${json.id}`)).status).toBe(404);
  expect(await gateway.gateway.store.db.selectFrom('sealed_blobs').selectAll().execute()).toEqual([]);
  await gateway.stop();
});

test('a request too large to be stored is rejected before the call, and the oldest responses of an account are evicted', async () => {
  const responses = { response_bytes_max: '64KiB', account_bytes_max: '1MiB' };
  const gateway = await startTestGateway((base) => ({ ...base, responses }));
  const send = (body: object) => gateway.post('/v1/responses', { model: 'plain', ...body });
  const large = 'x'.repeat(70_000);
  expect((await send({ input: large })).json.error.message).toContain('store: false');
  expect((await send({ input: large, store: false })).status).toBe(200);
  gateway.provider.respond('plain', answer(large));
  expect((await send({ input: 'short' })).json).toMatchObject({ status: 'completed', store: false });
  gateway.provider.respond('plain', answer('yes'));
  const ids: string[] = [];
  for (let each = 0; each < 20; each += 1) ids.push((await send({ input: 'y'.repeat(55_000) })).json.id);
  expect((await gateway.get(`/v1/responses/${ids[0]}`)).status).toBe(404);
  expect((await gateway.get(`/v1/responses/${ids.at(-1)}`)).status).toBe(200);
  const stored = await gateway.gateway.store.db.selectFrom('sealed_blobs').select('bytes').execute();
  const [sum] = await gateway.gateway.store.db.selectFrom('blob_sums').selectAll().execute();
  expect(sum!.bytes).toBe(stored.reduce((total, { bytes }) => total + bytes, 0));
  expect(sum!.bytes).toBeLessThanOrEqual(1024 ** 2);
  await gateway.stop();
});
