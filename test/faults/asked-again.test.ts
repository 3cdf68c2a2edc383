import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/billing/verify.ts';
import { findRequest } from '../../src/requests/find-requests.ts';
import { openStore } from '../../src/store/store.ts';
import { chunk, endings, sse } from '../fake-provider.ts';
import { startTestGateway } from '../gateway.ts';
import { newDatabase } from '../stores.ts';

test('a gateway that stops does not wait for a client that may come back, and charges what it had', async () => {
  const database = await newDatabase();
  const gateway = await startTestGateway((base) => ({ ...base, database, secret: 's'.repeat(32) }));
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two three' }), endings.hang]));
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
  });
  const id = response.headers.get('x-gateway-request-id') ?? '';
  leaving.abort();
  await expect.poll(() => gateway.gateway.inFlight()).toEqual({ exchanges: 0, answers: 1 });
  const aborted = gateway.provider.call('other').aborted;
  const stopped = gateway.stop();
  await aborted;
  await stopped;
  const store = await openStore({ database });
  expect(await findRequest(store, id)).toMatchObject({ clientGone: true, completionTokens: 3, usageSource: 'counted' });
  expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  await store.close();
});
