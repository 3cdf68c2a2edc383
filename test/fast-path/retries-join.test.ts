import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

watchedFastPath();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await warmFastPath(gateway, 'other');
});
afterEach(() => expectAtRest(gateway.gateway));
afterAll(() => gateway.stop());

/** Sends a request as SDKs do, with their retry count. Each test uses another question. */
async function send(count: number, question: string) {
  const leaving = new AbortController();
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'x-stainless-retry-count': String(count),
    },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: question }] }),
  });
  return { reply, leave: () => leaving.abort() };
}

const begin = chunk({ role: 'assistant', content: 'It was a “dark” night' });
const end = [chunk({ content: ', and so on' }), finish('stop'), usage(5, 9), '[DONE]'];

test('a retry gets a fast-path answer from its first byte, also if the first client leaves', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begin, opened, ...end]));
  const calls = gateway.provider.calls.length;
  const first = await send(0, 'one');
  expect(isInFastPath()).toBe(true);
  const second = await send(1, 'one');
  first.leave();
  await expect(first.reply.text()).rejects.toThrow();
  open();
  const text = await second.reply.text();
  expect(text).toContain('It was a “dark” night');
  expect(text).toContain(', and so on');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});

test('a retry after the end of the answer gets the same bytes', async () => {
  gateway.provider.respond('other', sse([begin, ...end]));
  const calls = gateway.provider.calls.length;
  const first = await (await send(0, 'two')).reply.text();
  expect(await (await send(1, 'two')).reply.text()).toBe(first);
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});

test('the call is aborted when the client and the retry have left', async () => {
  const { opened } = gate();
  gateway.provider.respond('other', sse([begin, opened]));
  const calls = gateway.provider.calls.length;
  const first = await send(0, 'three');
  const second = await send(1, 'three');
  first.leave();
  second.leave();
  await gateway.provider.call('other', calls).aborted;
  expect(gateway.provider.calls).toHaveLength(calls + 1);
});
