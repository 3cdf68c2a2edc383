import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { usageWaitMs } from 'chat-formats/chat/usage-wait.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type ChatOptions } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { chunk, endings, finish, gate, sse, type SseStep, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { heldClock } from '../clocks/held-clock.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

// The charge of a fast-path answer that is truncated at max_tokens.

watchedFastPath();

/** The clock moves only when a test moves it, so no wait times out on a slow machine. */
const clock = heldClock();
let gateway: TestGateway;
/** Keeps connections open. The fast path does not serve a client that closes its connection after the request. */
let agent: Agent;
beforeAll(async () => {
  gateway = await startTestGateway(undefined, { clock });
  await warmFastPath(gateway, 'other');
});
beforeEach(() => {
  agent = new Agent({ keepAlive: true });
  clock.hold();
});
afterEach(async () => {
  clock.release();
  agent.destroy();
  await expectAtRest(gateway.gateway);
});
afterAll(() => gateway.stop());

const tooLong = chunk({ content: 'word '.repeat(40) });
const ends = [finish('length'), usage(24, 3), '[DONE]'];
const send = (more: Partial<ChatOptions> = {}) => chat({ ...gateway, agent, body: { max_tokens: 5 }, ...more });

async function recordOf(id: string) {
  return eventually(async () => {
    const [found] = await listRequests(gateway.gateway.store, { limit: 1 });
    return found?.id === id ? found : expect.fail(`no record of ${id} yet`);
  });
}

test('the gateway waits for the usage of the provider after the client has its whole text', async () => {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([chunk({ content: 'first ' }), tooLong, chunk({ content: 'more' }), opened, ...ends]),
  );
  const client = send();
  await client.waitForText('word word');
  expect(isInFastPath()).toBe(true);
  open();
  const reply = await client.over;
  expect(reply).toMatchObject({ isDone: true });
  expect(reply.text).toContain('"finish_reason":"length"');
  expect(reply.text).not.toContain('more');
  expect(reply.text).toContain('"prompt_tokens":24,"completion_tokens":3');
  expect(await recordOf(reply.id)).toMatchObject({
    status: 200,
    promptTokens: 24,
    completionTokens: 3,
    usageSource: 'upstream',
  });
});

test('usage that arrives with the truncated frame needs no wait', async () => {
  gateway.provider.respond('other', sse([tooLong, ...ends], { split: 'whole' }));
  const reply = await send().over;
  expect(isInFastPath()).toBe(true);
  expect(reply.text).toContain('"prompt_tokens":24,"completion_tokens":3');
});

/** Providers that do not report usage, and the action that ends the wait. */
const withoutUsage: [string, SseStep[], () => void][] = [
  ['sends nothing more', [endings.hang], () => clock.advance(usageWaitMs)],
  ['resets the connection', [endings.reset], () => {}],
  ['ends its answer without usage', [finish('length'), '[DONE]'], () => {}],
  ['fails', [{ error: { message: 'no more' } }], () => {}],
  ['continues without end', [...Array.from({ length: 300 }, () => chunk({ content: 'more' })), endings.hang], () => {}],
];
test.each(withoutUsage)(
  'if the provider %s, its call is ended, and the gateway counts the text that the client got',
  async (_, rest, pass) => {
    const { opened, open } = gate();
    gateway.provider.respond('other', sse([tooLong, opened, ...rest]));
    const client = send();
    await client.waitForText('word word');
    expect(isInFastPath()).toBe(true);
    open();
    pass();
    const reply = await client.over;
    expect([reply.isDone, reply.error], reply.text).toEqual([true, undefined]);
    const record = await recordOf(reply.id);
    expect(record).toMatchObject({ status: 200, usageSource: 'counted', errorCase: undefined });
    expect(record.completionTokens).toBe(5);
  },
);

test('a client that leaves during the wait is charged for the text it got', async () => {
  gateway.provider.respond('other', sse([tooLong, endings.hang]));
  const calls = gateway.provider.calls.length;
  const client = send();
  await client.waitForText('word word');
  client.leave();
  const { id } = await client.over;
  expect(await recordOf(id)).toMatchObject({ clientGone: true, usageSource: 'counted' });
  await expect.poll(() => gateway.provider.calls[calls]?.isAborted, { message: 'the call is aborted' }).toBe(true);
});
