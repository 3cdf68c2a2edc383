import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KeyId } from '../../src/accounts/ids.ts';
import { keys } from '../../src/accounts/keys.ts';
import { systemClock } from '../../src/core/clock.ts';
import { Lane } from '../../src/lane/lane.ts';
import { listRequests } from '../../src/requests/find-requests.ts';
import { Search } from '../../src/routing/search.ts';
import { chatKeepAlive } from '../../src/surfaces/chat-completions.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type ChatAsk, type RunningChat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, endings, finish, gate, hang, sse, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';
import { makeKey } from '../keys.ts';

// What becomes of an answer of the lane where it meets somebody else: the general way, a retry, the ledger.

const take = vi.spyOn(Lane.prototype, 'take');
const isInLane = () => take.mock.results.at(-1)?.value === true;

let gateway: TestGateway;
/** A client that closes its connection behind its request is not served in the lane. */
let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAlive: true });
  gateway = await startTestGateway((base) => ({
    ...base,
    waiting: { hold_headers: '300ms', keep_alive_every: '50ms' },
  }));
  await warm(gateway.key);
});
afterEach(async () => {
  agent.destroy();
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

const ask = (more: Partial<ChatAsk> = {}) => chat({ ...gateway, agent, ...more });

/** Until the key is known and money is at hand. */
async function warm(key: string): Promise<void> {
  gateway.provider.respond('other', answer('warm'));
  do await ask({ key }).over;
  while (!isInLane());
}

/** A request that took the lane. A machine that is slow may send any the general way: then another is asked. */
async function askedInLane(more: Partial<ChatAsk>): Promise<RunningChat> {
  for (;;) {
    const before = take.mock.results.length;
    const asked = ask(more);
    await eventually(() => expect(take.mock.results.length).toBeGreaterThan(before));
    if (isInLane()) return asked;
    asked.leave();
    await asked.over;
  }
}

test('who is cut off after the general way has taken over pays for the prompt as on any other way', async () => {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'cut', models: undefined });
  await warm(secret);
  gateway.provider.respond('plain', hang());
  const asked = await askedInLane({ key: secret, model: 'plain' });
  // The first sign of life tells that nobody waits for a status any more, and so that the lane has handed over.
  await asked.says(chatKeepAlive);
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { cut: true });
  expect(await asked.over).toMatchObject({ error: { code: 'invalid_api_key' } });
  const record = await eventually(async () => {
    const [found] = await listRequests(gateway.gateway.store, { model: 'plain', limit: 1 });
    return found ?? expect.fail('no record yet');
  });
  expect(record.cost).toBeGreaterThan(0n);
});

test('an answer that breaks off tells its client and those who joined before its first word', async () => {
  const { opened, open } = gate();
  const early = chunk({ role: 'assistant' });
  gateway.provider.respond('other', sse([early, opened, chunk({ content: 'It was' }), endings.cut]));
  const tried = (count: number) => ({ headers: { 'x-stainless-retry-count': String(count) } });
  const first = await askedInLane(tried(0));
  const retry = ask(tried(1));
  await eventually(() => expect(gateway.gateway.alive()).toMatchObject({ exchanges: 2 }));
  open();
  const [told, toldAgain] = [await first.over, await retry.over];
  expect(told).toMatchObject({ isWhole: true, error: { code: 'upstream_failed' } });
  expect(told.text).toContain('It was');
  expect(toldAgain).toMatchObject({ isWhole: true, text: told.text });
});

test('while only its charge is waited for, the client is shown that the answer goes on', async () => {
  const { opened, open } = gate();
  const last = [chunk({ content: 'last words' }), finish('stop'), usage(7, 2)].map((each) => JSON.stringify(each));
  const inOnePiece = [...last, '[DONE]'].map((each) => `data: ${each}\n\n`).join('');
  gateway.provider.respond('plain', sse([chunk({ content: 'first' }), opened, { raw: inOnePiece }]));
  const asked = await askedInLane({ model: 'plain' });
  await asked.says('first');
  // The store takes nothing, and a charge that comes alone is waited for a while before the journal has to do.
  const other = new DatabaseSync(join(gateway.directory, 'data', 'gateway.db'));
  other.exec('begin immediate');
  await delay(100);
  open();
  await asked.says(`"last words"},"finish_reason":null,"logprobs":null}],"usage":null}\n\n${chatKeepAlive}`);
  other.close();
  expect((await asked.over).isDone).toBe(true);
});

test('a mistake before the request is sent gives back its place and its money, and the general way answers', async () => {
  const enterNow = Search.prototype.enterNow;
  const entering = vi.spyOn(Search.prototype, 'enterNow').mockImplementationOnce(function (this: Search) {
    const dispatch = enterNow.call(this);
    if (dispatch) {
      vi.spyOn(dispatch.candidate.upstream.adapter, 'ready').mockImplementationOnce(() => {
        throw new TypeError('a mistake of ours');
      });
    }
    return dispatch;
  });
  gateway.provider.respond('other', answer('all the same'));
  const told = await ask().over;
  expect(entering).toHaveBeenCalled();
  expect(isInLane()).toBe(false);
  expect(told).toMatchObject({ isDone: true });
  expect(told.text).toContain(' same');
});
