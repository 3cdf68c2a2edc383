import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { openStore } from '../../src/platform/store/store.ts';
import { chat } from '../chat-client.ts';
import { chunk, endings, sse } from '../fakes/fake-provider.ts';
import { startTestGateway } from '../gateways/gateway.ts';
import { manualClock } from '../clocks/manual-clock.ts';
import { newDatabase } from '../stores/stores.ts';

test('a stopping gateway does not wait for a retry of an abandoned request, and charges the tokens it received', async () => {
  const database = await newDatabase();
  // The clock never advances, so the time in which a client may retry never ends.
  const clock = manualClock(Date.now());
  const gateway = await startTestGateway((base) => ({ ...base, database, secret: 's'.repeat(32) }), { clock });
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two three' }), endings.hang]));
  const request = chat({ ...gateway, headers: { 'idempotency-key': 'once' } });
  await request.waitForText('three');
  request.leave();
  const { id } = await request.over;
  await expect
    .poll(() => gateway.gateway.inFlight(), { message: 'the answer continues without its client' })
    .toEqual({ exchanges: 0, answers: 1 });
  const aborted = gateway.provider.call('other').aborted;
  const stopped = gateway.stop();
  await aborted;
  await stopped;
  const store = await openStore({ database });
  expect(await findRequest(store, id)).toMatchObject({ clientGone: true, completionTokens: 3, usageSource: 'counted' });
  expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  await store.close();
});
