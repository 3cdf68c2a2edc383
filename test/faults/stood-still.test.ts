import { afterEach, expect, test } from 'vitest';
import { chat } from '../chat-client.ts';
import { chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

test('a process that stood still hears what came meanwhile before it calls anybody silent', async () => {
  gateway = await startServedGateway({ upstream: { timeouts: { idle: '1s', first_event: '1s' } } });
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([chunk({ content: 'one' }), opened, chunk({ content: 'two' }), finish('stop'), usage(1, 1), '[DONE]']),
  );
  const chats = Array.from({ length: 20 }, () => chat(gateway));
  await Promise.all(chats.map((one) => one.begun));
  process.kill(gateway.pid, 'SIGSTOP');
  open();
  const since = Date.now();
  await expect.poll(() => Date.now() - since).toBeGreaterThan(3000);
  process.kill(gateway.pid, 'SIGCONT');
  for (const one of chats) expect(await one.over).toMatchObject({ status: 200, isDone: true });
});
