import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { chat } from '../chat-client.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

/** All answers begin together, so that even a busy machine stops the process within this time. */
const idleMs = 5000;

test('a process that was frozen reads the bytes that arrived meanwhile before it applies idle timeouts', async () => {
  gateway = await startServedGateway({ upstream: { timeouts: { idle: `${idleMs}ms` } } });
  const { provider, pid } = gateway;
  const [begin, proceed] = [gate(), gate()];
  const rest = [chunk({ content: 'two' }), finish('stop'), usage(1, 1), '[DONE]'];
  provider.respond('other', sse([begin.opened, chunk({ content: 'one' }), proceed.opened, ...rest]));
  const chats = Array.from({ length: 20 }, () => chat(gateway));
  const calls = chats.map((_, index) => provider.call('other', index));
  await Promise.all(calls.map(({ received }) => received));
  begin.open();
  await Promise.all(chats.map((one) => one.waitForText('one')));
  process.kill(pid, 'SIGSTOP');
  await expect
    .poll(() => readFileSync(`/proc/${pid}/status`, 'utf8'), { message: 'the process' })
    .toMatch(/^State:\s+T/m);
  const since = performance.now();
  proceed.open();
  await Promise.all(calls.map(({ finished }) => finished));
  await expect
    .poll(() => performance.now() - since, { message: 'how long the process is frozen' })
    .toBeGreaterThan(idleMs + 1000);
  process.kill(pid, 'SIGCONT');
  for (const one of chats) expect(await one.over).toMatchObject({ status: 200, isDone: true });
});
