import { expect, test } from 'vitest';
import { answer, chunk, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { chat } from '../../chat-client.ts';
import { joined, model, startTestGateway } from '../../gateways/gateway.ts';
import { heldClock } from '../../clocks/held-clock.ts';
import { longTimerClock } from '../../long-timer-clock.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

test('the start of the schema thread does not count towards the queue timeout of a request', async () => {
  const held = heldClock();
  const startMaxMs = 300_000;
  const clock = {
    ...held,
    // While the thread starts, the clock advances by more than the queue timeout.
    after(delayMs: number, work: () => void) {
      if (delayMs === startMaxMs) held.advance(120_000);
      return longTimerClock.after(delayMs, work);
    },
  };
  const gateway = await startTestGateway(
    (base) => ({
      ...base,
      waiting: { max_wait: '60s', hold_headers: '5m' },
      upstreams: (base['upstreams'] as object[]).map((upstream) => ({ ...upstream, max_concurrency: 1 })),
      models: [model('other'), model('plain', { guarantees: { json: 'gateway' } })],
    }),
    { clock },
  );
  const { opened, open } = gate();
  const first = [chunk({ role: 'assistant', content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]'];
  gateway.provider.respond('other', sse(first));
  gateway.provider.respond('plain', answer('{"n":1}'));
  const running = chat(gateway);
  await running.waitForText('one');
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } };
  const replying = gateway.chat({ model: 'plain', response_format });
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'the request waits for a slot' }).toBe(1);
  open();
  const reply = await replying;
  expect([reply.status, joined(reply)]).toEqual([200, '{"n":1}']);
  expect((await running.over).isDone).toBe(true);
  await gateway.stop();
});
