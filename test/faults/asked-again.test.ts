import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/billing/verify.ts';
import { findRequest } from '../../src/requests/find-requests.ts';
import { openStore } from '../../src/store/store.ts';
import { chat } from '../chat-client.ts';
import { chunk, endings, sse } from '../fake-provider.ts';
import { startTestGateway } from '../gateway.ts';
import { handClock } from '../hand-clock.ts';
import { newDatabase } from '../stores.ts';

test('a gateway that stops does not wait for a client that may come back, and charges what it had', async () => {
  const database = await newDatabase();
  // It stands still: the time that a client has to come back is never over.
  const clock = handClock(Date.now());
  const gateway = await startTestGateway((base) => ({ ...base, database, secret: 's'.repeat(32) }), { clock });
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two three' }), endings.hang]));
  const asked = chat({ ...gateway, headers: { 'idempotency-key': 'once' } });
  await asked.says('three');
  asked.leave();
  const { id } = await asked.over;
  await expect
    .poll(() => gateway.gateway.inFlight(), { message: 'the answer goes on without its client' })
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
