import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { expectAtRest } from '../at-rest.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';

let gateway: TestGateway;
const take = vi.spyOn(Lane.prototype, 'take');
beforeEach(async () => {
  gateway = await startTestGateway();
  gateway.provider.respond('other', answer('warm'));
  // Until the key is known and money is at hand.
  do await gateway.chat({ model: 'other' });
  while (take.mock.results.at(-1)?.value !== true);
});
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

/** As SDKs send it, which count how often they tried. */
async function ask(count: number) {
  const leaving = new AbortController();
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'x-stainless-retry-count': String(count),
    },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'tell me' }] }),
  });
  return { reply, leave: () => leaving.abort() };
}

const begin = chunk({ role: 'assistant', content: 'It was a “dark” night' });
const end = [chunk({ content: ', and so on' }), finish('stop'), usage(5, 9), '[DONE]'];

/** An answer that waits for `open`. A machine that is slow may send any request the general way: then another is asked. */
async function askedInLane() {
  for (;;) {
    const { opened, open } = gate();
    gateway.provider.respond('other', sse([begin, opened, ...end]));
    const calls = gateway.provider.calls.length;
    const first = await ask(0);
    if (take.mock.results.at(-1)?.value === true) return { first, open, calls };
    open();
    await first.reply.text();
  }
}

test('a retry joins an answer of the lane from its first byte, whoever leaves', async () => {
  const { first, open, calls } = await askedInLane();
  const second = await ask(1);
  first.leave();
  await expect(first.reply.text()).rejects.toThrow();
  open();
  const text = await second.reply.text();
  expect(text).toContain('It was a “dark” night');
  expect(text).toContain(', and so on');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});

test('a retry that comes when the answer is whole gets the same bytes again', async () => {
  gateway.provider.respond('other', sse([begin, ...end]));
  const calls = gateway.provider.calls.length;
  const first = await (await ask(0)).reply.text();
  expect(await (await ask(1)).reply.text()).toBe(first);
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});

test('when everybody has left, so has the client', async () => {
  const { opened } = gate();
  gateway.provider.respond('other', sse([begin, opened]));
  const calls = gateway.provider.calls.length;
  const first = await ask(0);
  const second = await ask(1);
  first.leave();
  second.leave();
  await gateway.provider.call('other', calls).aborted;
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});
