import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/core/time/clock.ts';
import { expectAtRest, expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway } from '../gateways/gateway.ts';
import { startServedGateway } from '../gateways/served-gateway.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('a full disk under the log loses log lines, no answers, and the process keeps running', async () => {
  const gateway = await startServedGateway({ config: { log: { level: 'trace' } }, log: '/dev/full' });
  closing.push(gateway.clean);
  gateway.provider.respond('other', answer('hello'));
  for (let round = 0; round < 20; round += 1) {
    const chats = Array.from({ length: 20 }, () => chat(gateway));
    for (const one of chats) expect(await one.over).toMatchObject({ status: 200, isDone: true });
  }
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  await expectSound(await gateway.openStore());
});

test('the process is not ready while a full disk prevents charges, and ready again when there is space', async () => {
  const gateway = await startServedGateway();
  closing.push(gateway.clean);
  const { opened, open } = gate();
  const slow = sse([chunk({ content: 'one' }), opened, finish('stop'), usage(5, 1), '[DONE]']);
  gateway.provider.respond('other', answer('hello'), slow, answer('hello'));
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/readyz`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return { status: response.status, checks };
  };
  // On a busy machine, event-loop lag can also make the process unready.
  const isReady = { status: 200, checks: { ledger: 'ok' } };
  await expect.poll(ready, { message: 'the process is ready before the disk is full' }).toMatchObject(isReady);
  const stuck = chat(gateway);
  await stuck.waitForText('one');
  gateway.limitFiles(1);
  // The request already has a hold. Its end waits until the charge is durable.
  open();
  const notReady = { status: 503, checks: { ledger: 'Charges can be kept neither in the store nor on the disk.' } };
  await expect.poll(ready, { message: 'the process is not ready' }).toMatchObject(notReady);
  expect(await chat(gateway).over).toMatchObject({ status: 503, error: { code: 'overloaded' } });
  gateway.limitFiles(undefined);
  expect(await stuck.over).toMatchObject({ status: 200, isDone: true });
  await expect.poll(ready, { message: 'the process is ready again' }).toMatchObject(isReady);
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  await expectSound(await gateway.openStore());
});

test('an unwritable journal does no harm while the store accepts the charges', async () => {
  const gateway = await startTestGateway();
  closing.push(gateway.stop);
  await rm(join(gateway.directory, 'data/journal'), { recursive: true, force: true });
  await writeFile(join(gateway.directory, 'data/journal'), 'in the way');
  gateway.provider.respond('other', answer('hello'));
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  await expectAtRest(gateway.gateway);
  await rm(join(gateway.directory, 'data/journal'));
});

test('a clock that jumps an hour forward and back aborts no answer, ends no wait and loses no money', async () => {
  let jumpMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + jumpMs };
  const gateway = await startTestGateway((base) => ({ ...base, upstreams: oneAtATime(base) }), { clock });
  closing.push(gateway.stop);
  const { opened, open } = gate();
  const slow = sse([chunk({ content: 'one' }), opened, finish('stop'), usage(5, 1), '[DONE]']);
  gateway.provider.respond('other', slow, answer('two'));
  const running = chat(gateway);
  await running.started;
  const waiting = chat(gateway);
  await expect.poll(() => gateway.gateway.alive().holds, { message: 'holds of both requests' }).toBe(2);
  for (const jump of [3_600_000, -3_600_000, 0]) {
    jumpMs = jump;
    expect(await gateway.get('/v1/models')).toMatchObject({ status: 200 });
    expect(gateway.gateway.alive()).toMatchObject({ answers: 1, holds: 2 });
  }
  jumpMs = 3_600_000;
  open();
  for (const one of [running, waiting]) expect(await one.over).toMatchObject({ status: 200, isDone: true });
  await expectAtRest(gateway.gateway);
});

function oneAtATime(base: Record<string, unknown>): object[] {
  return (base['upstreams'] as object[]).map((upstream) => ({ ...upstream, max_concurrency: 1 }));
}
