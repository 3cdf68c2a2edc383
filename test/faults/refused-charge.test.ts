import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportedRefusals } from '../../src/money/billing/recovery/reported-refusals.ts';
import { json } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { refuse } from '../stores/poison.ts';

let gateway: TestGateway;
beforeEach(async () => {
  const endpoint = { name: 'ops', secret: 'w'.repeat(24), events: ['charge.refused'] };
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    webhooks: { endpoints: [{ ...endpoint, url: `${provider.url}/hook` }] },
  }));
});
afterEach(() => gateway.stop());

test('operators get an event for a charge that cannot be booked, and its answer completes', async () => {
  const { store } = gateway.gateway;
  const { id } = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'tester')
    .executeTakeFirstOrThrow();
  await refuse(store, 'transfers', 'account_id', id);
  gateway.provider.respond('POST /v1/hook', json(200, {}));
  const reply = await gateway.chat({});
  expect(reply.frames.at(-1)).toBe('[DONE]');
  const { body } = await gateway.provider.call('POST /v1/hook').received;
  const data = {
    account_id: id,
    request_id: reply.headers.get('x-gateway-request-id'),
    error: expect.stringContaining('poison'),
  };
  expect(body).toMatchObject({ type: 'charge.refused', account_id: null, data });
  const { request_id: requestId, error } = data;
  expect(await reportedRefusals(store, 10)).toEqual([
    { at: expect.any(Number), requestId, accountId: id, cost: expect.stringMatching(/^0\.0/), error, isBooked: false },
  ]);
});
