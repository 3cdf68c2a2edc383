import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { usageWaitMs } from '../../src/core/usage-wait.ts';
import { listRequests } from '../../src/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type ChatAsk } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { chunk, endings, finish, gate, sse, type SseStep, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';
import { heldClock } from '../held-clock.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

// What an answer of the fast path is charged that went on past its cap on tokens and was cut there.

watchedFastPath();

/** No time passes but what a test lets pass: what is waited for comes in time, however slow the machine is. */
const clock = heldClock();
let gateway: TestGateway;
/** A client that closes its connection behind its request is not served on the fast path. */
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
const ask = (more: Partial<ChatAsk> = {}) => chat({ ...gateway, agent, body: { max_tokens: 5 }, ...more });

async function recorded(id: string) {
  return eventually(async () => {
    const [found] = await listRequests(gateway.gateway.store, { limit: 1 });
    return found?.id === id ? found : expect.fail(`no record of ${id} yet`);
  });
}

test('what the provider says it used is waited for, while the client has all of its text', async () => {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([chunk({ content: 'first ' }), tooLong, chunk({ content: 'more' }), opened, ...ends]),
  );
  const asked = ask();
  await asked.says('word word');
  expect(isInFastPath()).toBe(true);
  open();
  const told = await asked.over;
  expect(told).toMatchObject({ isDone: true });
  expect(told.text).toContain('"finish_reason":"length"');
  expect(told.text).not.toContain('more');
  expect(told.text).toContain('"prompt_tokens":24,"completion_tokens":3');
  expect(await recorded(told.id)).toMatchObject({
    status: 200,
    promptTokens: 24,
    completionTokens: 3,
    usageSource: 'upstream',
  });
});

test('what comes together with the cut is not waited for', async () => {
  gateway.provider.respond('other', sse([tooLong, ...ends], { split: 'whole' }));
  const told = await ask().over;
  expect(isInFastPath()).toBe(true);
  expect(told.text).toContain('"prompt_tokens":24,"completion_tokens":3');
});

/** A provider that does not say it, and what ends the wait. */
const silent: [string, SseStep[], () => void][] = [
  ['says nothing more', [endings.hang], () => clock.advance(usageWaitMs)],
  ['breaks the connection', [endings.reset], () => {}],
  ['ends its answer without it', [finish('length'), '[DONE]'], () => {}],
  ['fails', [{ error: { message: 'no more' } }], () => {}],
  ['goes on and on', [...Array.from({ length: 40 }, () => chunk({ content: 'more' })), endings.hang], () => {}],
];
test.each(silent)('a provider that %s is let go, and what the client got is counted', async (_, rest, pass) => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([tooLong, opened, ...rest]));
  const asked = ask();
  await asked.says('word word');
  expect(isInFastPath()).toBe(true);
  open();
  pass();
  const told = await asked.over;
  expect([told.isDone, told.error], told.text).toEqual([true, undefined]);
  const record = await recorded(told.id);
  expect(record).toMatchObject({ status: 200, usageSource: 'counted', errorCase: undefined });
  expect(record.completionTokens).toBe(5);
});

test('a client that leaves meanwhile pays for what it got', async () => {
  gateway.provider.respond('other', sse([tooLong, endings.hang]));
  const calls = gateway.provider.calls.length;
  const asked = ask();
  await asked.says('word word');
  asked.leave();
  const { id } = await asked.over;
  expect(await recorded(id)).toMatchObject({ clientGone: true, usageSource: 'counted' });
  await expect.poll(() => gateway.provider.calls[calls]?.isAborted, { message: 'the call is ended' }).toBe(true);
});
