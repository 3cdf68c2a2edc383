import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/core/time/clock.ts';
import { endingThread } from '../fixtures/store/jobs.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

async function readiness(): Promise<{ status: number; checks: Record<string, string> }> {
  const { status, text } = await gateway.get('/readyz');
  return { status, checks: (JSON.parse(text) as { checks: Record<string, string> }).checks };
}

test('when the store thread ends unexpectedly, all answers complete and each charge is booked once', async () => {
  gateway = await startTestGateway();
  const { opened, open } = gate();
  const slow = sse([chunk({ content: 'one' }), opened, finish('stop'), usage(5, 1), '[DONE]']);
  gateway.provider.respond('other', slow, answer('two'));
  const running = chat(gateway);
  await running.waitForText('one');
  await expect(gateway.gateway.store.commit(endingThread, undefined)).rejects.toThrow('thread of the store');
  open();
  expect(await running.over).toMatchObject({ status: 200, isDone: true });
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  await expectAtRest(gateway.gateway);
});

test('the process is not ready while the store thread cannot be restarted, and ready again afterwards', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + aheadMs };
  gateway = await startTestGateway((base) => base, { clock });
  const data = join(gateway.directory, 'data');
  await rename(data, `${data}-away`);
  await expect(gateway.gateway.store.commit(endingThread, undefined)).rejects.toThrow('thread of the store');
  aheadMs += 30_000;
  await expect
    .poll(readiness, { message: 'readiness without a thread' })
    .toMatchObject({ status: 503, checks: { store: 'The store does not answer.' } });
  await rename(`${data}-away`, data);
  await expect.poll(readiness, { message: 'readiness with a new thread' }).toMatchObject({ status: 200 });
});
