import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { KeyId } from '../../src/accounts/ids.ts';
import { keys } from '../../src/accounts/keys.ts';
import { JournalAck } from '../../src/billing/journal-ack.ts';
import { systemClock } from '../../src/core/clock.ts';
import { listRequests } from '../../src/requests/find-requests.ts';
import { Search } from '../../src/routing/search.ts';
import { chatKeepAlive } from '../../src/surfaces/chat-completions.ts';
import { ServedRequest } from '../../src/surfaces/served-request.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type ChatAsk } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, endings, finish, gate, hang, sse, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';
import { jumpingClock } from '../jumping-clock.ts';
import { makeKey } from '../keys.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

// What becomes of an answer of the fast path where it meets somebody else: the slow path, a retry, the ledger.

watchedFastPath();

const holdHeadersMs = 30_000;
const keepAliveMs = 100;

/** Nothing happens by itself: the tests let the time pass that an answer is waited for. */
const clock = jumpingClock();
let gateway: TestGateway;
/** A client that closes its connection behind its request is not served in the fast path. */
let agent: Agent;
beforeAll(async () => {
  const waiting = { hold_headers: `${holdHeadersMs}ms`, keep_alive_every: `${keepAliveMs}ms` };
  gateway = await startTestGateway((base) => ({ ...base, waiting }), { clock });
  await warmFastPath(gateway, 'other');
});
beforeEach(() => {
  agent = new Agent({ keepAlive: true });
});
afterEach(async () => {
  agent.destroy();
  await expectAtRest(gateway.gateway);
});
afterAll(() => gateway.stop());

const ask = (more: Partial<ChatAsk> = {}) => chat({ ...gateway, agent, ...more });
/** How often a model has been asked for at the provider. */
const callsOf = (model: string) => gateway.provider.calls.filter(({ key }) => key === model).length;

test('an answer that breaks off tells its client and those who joined before its first word', async () => {
  const { opened, open } = gate();
  const early = chunk({ role: 'assistant' });
  gateway.provider.respond('other', sse([early, opened, chunk({ content: 'It was' }), endings.cut]));
  const tried = (count: number) => ({ headers: { 'x-stainless-retry-count': String(count) } });
  const calls = callsOf('other');
  const first = ask(tried(0));
  await gateway.provider.call('other', calls).received;
  expect(isInFastPath()).toBe(true);
  const joins = vi.spyOn(ServedRequest.prototype, 'replays').mockClear();
  const retry = ask(tried(1));
  await expect.poll(() => joins.mock.calls.length, { message: 'the retry joins the first request' }).toBe(1);
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
  const asked = ask({ model: 'plain' });
  await asked.says('first');
  expect(isInFastPath()).toBe(true);
  // The store takes nothing. A charge that comes long after others waits for it, and the journal does not stand in for it here.
  const standIn = vi.spyOn(JournalAck.prototype, 'acknowledgeWithoutStore').mockResolvedValue();
  const other = new DatabaseSync(join(gateway.directory, 'data', 'gateway.db'));
  try {
    await eventually(() => other.exec('begin immediate'));
    clock.jump(100);
    open();
    const lastWords = '"last words"},"finish_reason":null,"logprobs":null}],"usage":null}\n\n';
    await asked.says(lastWords);
    // The first look finds that something was said since the look before. A look may come a little late.
    for (let looks = 0; looks < 2; looks += 1) clock.jump(1.5 * keepAliveMs);
    await asked.says(`${lastWords}${chatKeepAlive}`);
  } finally {
    other.close();
    standIn.mockRestore();
  }
  expect((await asked.over).isDone).toBe(true);
});

test('a mistake before the request is sent gives back its place and its money, and the slow path answers', async () => {
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
  expect(isInFastPath()).toBe(false);
  expect(told).toMatchObject({ isDone: true });
  expect(told.text).toContain(' same');
});

// The last one: so much time passes in it that the gateway gives back the money it has set aside.
test('who is cut off after the slow path has taken over pays for the prompt as on any other way', async () => {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'cut', models: undefined });
  await warmFastPath(gateway, 'other', secret);
  gateway.provider.respond('plain', hang());
  const calls = callsOf('plain');
  const asked = ask({ key: secret, model: 'plain' });
  await gateway.provider.call('plain', calls).received;
  expect(isInFastPath()).toBe(true);
  // The first sign of life tells that nobody waits for a status any more, and so that the fast path has handed over.
  let isAlive = false;
  void asked.says(chatKeepAlive).then(() => (isAlive = true));
  clock.jump(holdHeadersMs);
  await eventually(() => {
    clock.jump(keepAliveMs);
    expect(isAlive, 'the client is sent a sign of life').toBe(true);
  });
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { terminateStreams: true });
  expect(await asked.over).toMatchObject({ error: { code: 'invalid_api_key' } });
  const record = await eventually(async () => {
    const [found] = await listRequests(gateway.gateway.store, { model: 'plain', limit: 1 });
    return found ?? expect.fail('no record yet');
  });
  expect(record.cost).toBeGreaterThan(0n);
});
