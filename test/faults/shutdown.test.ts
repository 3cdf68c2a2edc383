import { expect, test } from 'vitest';
import { balanceOf } from '../../src/billing/balance.ts';
import { verifyLedger } from '../../src/billing/verify.ts';
import { findRequest } from '../../src/requests/find-requests.ts';
import { openStore } from '../../src/store/store.ts';
import { chunk, endings, sse } from '../fake-provider.ts';
import { startTestGateway } from '../gateway.ts';

test('an answer that a shutdown cuts off is charged and recorded before the process ends', async () => {
  const gateway = await startTestGateway();
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two three' }), endings.hang]));
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
  });
  const id = response.headers.get('x-gateway-request-id')!;
  const body = response.text().catch(() => 'cut');
  await gateway.gateway.stop({ graceMs: 0 });
  await body;
  const store = await openStore({ data: `${gateway.directory}/data` });
  const record = await findRequest(store, id);
  expect(record).toMatchObject({ usageSource: 'counted', completionTokens: 3, cost: expect.any(BigInt) });
  const { granted, reserved } = await balanceOf(store, record!.accountId);
  expect([granted, reserved]).toEqual([100_000_000_000n - record!.cost!, 0n]);
  expect((await verifyLedger(store)).isSound).toBe(true);
  await store.close();
  await gateway.provider.close();
});
