import { expect, test, vi } from 'vitest';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { Leasing } from '../../src/money/billing/leasing.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { JournalAck } from '../../src/money/billing/recovery/journal-ack.ts';
import { findRequest, listRequests } from '../../src/money/requests/find-requests.ts';
import { openStore } from '../../src/platform/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { countsTokens } from '../counted-tokens.ts';
import { chunk, endings, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway } from '../gateways/gateway.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';

test('an answer that a shutdown aborts gets an error frame, a charge and a record before the process exits', async () => {
  const gateway = await startTestGateway();
  await countsTokens(gateway);
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two three' }), endings.hang]));
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
  });
  const id = response.headers.get('x-gateway-request-id')!;
  let body = '';
  let stopped: Promise<void> | undefined;
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    body += text;
    // On a slow machine, the headers may arrive before any content.
    if (body.includes('one two three')) stopped ??= gateway.gateway.stop({ graceMs: 0 });
  }
  await stopped;
  expect(body).toContain('"code":"shutting_down"');
  expect(body).not.toContain('[DONE]');
  const store = await openStore({ data: `${gateway.directory}/data` });
  const record = await findRequest(store, id);
  expect(record).toMatchObject({ usageSource: 'counted', completionTokens: 3, cost: expect.any(BigInt) });
  const { granted, reserved } = await balanceOf(store, record!.accountId);
  expect([granted, reserved]).toEqual([100_000_000_000n - record!.cost!, 0n]);
  expect((await verifyLedger(store)).isSound).toBe(true);
  await store.close();
  await gateway.provider.close();
});

test('a charge that is booked only after the leases are released still has its record', async () => {
  const clock = jumpingClock();
  const gateway = await startTestGateway((base) => base, { clock });
  await gateway.chat({ model: 'plain' });
  // Neither the journal nor the store lets the next answer end.
  const { opened: isStoreBack, open: restoreStore } = gate();
  const { store } = gateway.gateway;
  const commitTogether = store.commitTogether.bind(store);
  vi.spyOn(JournalAck.prototype, 'acknowledge').mockResolvedValue(false);
  vi.spyOn(JournalAck.prototype, 'acknowledgeWithoutStore').mockReturnValue(new Promise(() => {}));
  const held = vi.spyOn(store, 'commitTogether').mockImplementation(async (job, input) => {
    await isStoreBack;
    return commitTogether(job, input);
  });
  const running = chat({ ...gateway, model: 'plain' });
  await expect.poll(() => held.mock.calls.length, { message: 'the store has received the charge' }).toBeGreaterThan(0);
  const stopped = gateway.gateway.stop({ graceMs: 0 });
  running.leave();
  // Advances the clock until the shutdown stops waiting for the last requests, and no further.
  const { opened: areLeasesStopped, open: leasesStopped } = gate();
  const jumping = setInterval(() => clock.jump(1000), 5);
  const stop = Leasing.prototype.stop;
  vi.spyOn(Leasing.prototype, 'stop').mockImplementation(function (this: Leasing) {
    clearInterval(jumping);
    leasesStopped();
    return stop.call(this);
  });
  await areLeasesStopped;
  restoreStore();
  await stopped;
  vi.restoreAllMocks();
  const reopened = await openStore({ data: `${gateway.directory}/data` });
  const records = await listRequests(reopened, { model: 'plain', limit: 10 });
  expect(records).toHaveLength(2);
  await reopened.close();
  await gateway.provider.close();
});

test('a request that waits for a slot when the shutdown begins gets 503 at once, and its hold is released', async () => {
  const gateway = await startTestGateway((base) => ({
    ...base,
    // While headers are held back, an error still gets its own status code.
    waiting: { hold_headers: '5m' },
    upstreams: (base['upstreams'] as object[]).map((upstream) => ({ ...upstream, max_concurrency: 1 })),
  }));
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const running = chat(gateway);
  await running.waitForText('one');
  const waiting = Array.from({ length: 20 }, () => chat(gateway));
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'all requests wait' })
    .toMatchObject({ exchanges: 21, waiting: 20 });
  expect(gateway.gateway.alive().holds).toBe(21);
  const stopped = gateway.gateway.stop({ graceMs: 600_000 });
  for (const one of waiting) {
    const { status, headers, error } = await one.over;
    expect({ status, connection: headers['connection'], code: error?.code }).toEqual({
      status: 503,
      connection: 'close',
      code: 'shutting_down',
    });
  }
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'only the running answer is left' })
    .toMatchObject({ exchanges: 1, holds: 1 });
  open();
  expect((await running.over).isDone).toBe(true);
  await stopped;
  expect(gateway.provider.calls).toHaveLength(1);
  const store = await openStore({ data: `${gateway.directory}/data` });
  await expectSound(store);
  const waits = store.db.selectFrom('requests').select(['queue_position', 'wait_ms']).where('status', '=', 503);
  const timedOut = (await waits.execute()).toSorted((a, b) => Number(a.queue_position) - Number(b.queue_position));
  expect(timedOut).toEqual(waiting.map((_, index) => ({ queue_position: index, wait_ms: expect.any(Number) })));
  await store.close();
  await gateway.provider.close();
});
