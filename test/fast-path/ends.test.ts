import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { keys } from '../../src/money/accounts/keys.ts';
import { JournalAck } from '../../src/money/billing/recovery/journal-ack.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { FailoverLoop } from '../../src/serving/routing/calls/failover-loop.ts';
import { chatKeepAlive } from '../../src/serving/surfaces/chat-completions.ts';
import { ServedRequest } from '../../src/serving/surfaces/served-request.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type ChatOptions } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, endings, finish, gate, hang, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';
import { makeKey } from '../keys.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

// Ends of fast-path answers that involve the slow path, a retry or the ledger.

watchedFastPath();

const holdHeadersMs = 30_000;
const keepAliveMs = 100;

/** The tests move the clock past the waits of an answer. */
const clock = jumpingClock();
let gateway: TestGateway;
/** Keeps connections open. The fast path does not serve a client that closes its connection after the request. */
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

const send = (more: Partial<ChatOptions> = {}) => chat({ ...gateway, agent, ...more });
/** The number of calls for a model at the provider. */
const callsOf = (model: string) => gateway.provider.calls.filter(({ key }) => key === model).length;

test('an interrupted answer sends its error to the client and to retries that joined before its first word', async () => {
  const { opened, open } = gate();
  const early = chunk({ role: 'assistant' });
  gateway.provider.respond('other', sse([early, opened, chunk({ content: 'It was' }), endings.cut]));
  const retryCount = (count: number) => ({ headers: { 'x-stainless-retry-count': String(count) } });
  const calls = callsOf('other');
  const first = send(retryCount(0));
  await gateway.provider.call('other', calls).received;
  expect(isInFastPath()).toBe(true);
  const joins = vi.spyOn(ServedRequest.prototype, 'replays').mockClear();
  const retry = send(retryCount(1));
  await expect.poll(() => joins.mock.calls.length, { message: 'the retry joins the first request' }).toBe(1);
  open();
  const [reply, retryReply] = [await first.over, await retry.over];
  expect(reply).toMatchObject({ isComplete: true, error: { code: 'upstream_failed' } });
  expect(reply.text).toContain('It was');
  expect(retryReply).toMatchObject({ isComplete: true, text: reply.text });
});

test('the client gets keep-alive comments while the answer waits only for its charge', async () => {
  const { opened, open } = gate();
  const last = [chunk({ content: 'last words' }), finish('stop'), usage(7, 2)].map((each) => JSON.stringify(each));
  const lastFrames = [...last, '[DONE]'].map((each) => `data: ${each}\n\n`).join('');
  gateway.provider.respond('plain', sse([chunk({ content: 'first' }), opened, { raw: lastFrames }]));
  const client = send({ model: 'plain' });
  await client.waitForText('first');
  expect(isInFastPath()).toBe(true);
  // The store is locked. A charge long after the last one waits for the store; the WAL acknowledgement is off here.
  const acknowledge = vi.spyOn(JournalAck.prototype, 'acknowledgeWithoutStore').mockResolvedValue();
  const other = new DatabaseSync(join(gateway.directory, 'data', 'gateway.db'));
  try {
    await eventually(() => other.exec('begin immediate'));
    clock.jump(100);
    open();
    const lastWords = '"last words"},"finish_reason":null,"logprobs":null}],"usage":null}\n\n';
    await client.waitForText(lastWords);
    // The first check finds output since the previous check. A check may be a little late.
    for (let checks = 0; checks < 2; checks += 1) clock.jump(1.5 * keepAliveMs);
    await client.waitForText(`${lastWords}${chatKeepAlive}`);
  } finally {
    other.close();
    acknowledge.mockRestore();
  }
  expect((await client.over).isDone).toBe(true);
});

test('an internal error before the call releases the slot and the hold, and the slow path answers', async () => {
  const enterNow = FailoverLoop.prototype.enterNow;
  const entering = vi.spyOn(FailoverLoop.prototype, 'enterNow').mockImplementationOnce(function (this: FailoverLoop) {
    const dispatch = enterNow.call(this);
    if (dispatch) {
      vi.spyOn(dispatch.candidate.upstream.adapter, 'ready').mockImplementationOnce(() => {
        throw new TypeError('an internal error');
      });
    }
    return dispatch;
  });
  gateway.provider.respond('other', answer('all the same'));
  const reply = await send().over;
  expect(entering).toHaveBeenCalled();
  expect(isInFastPath()).toBe(false);
  expect(reply).toMatchObject({ isDone: true });
  expect(reply.text).toContain(' same');
});

// Must be last: so much time passes that the gateway returns its account lease.
test('a request terminated after the bail-out is charged for its prompt', async () => {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'cut', models: undefined });
  await warmFastPath(gateway, 'other', secret);
  gateway.provider.respond('plain', hang());
  const calls = callsOf('plain');
  const client = send({ key: secret, model: 'plain' });
  await gateway.provider.call('plain', calls).received;
  expect(isInFastPath()).toBe(true);
  // The first keep-alive means that the status was sent, so the fast path has bailed out.
  let isAlive = false;
  void client.waitForText(chatKeepAlive).then(() => (isAlive = true));
  clock.jump(holdHeadersMs);
  await eventually(() => {
    clock.jump(keepAliveMs);
    expect(isAlive, 'the client gets a keep-alive').toBe(true);
  });
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { terminateStreams: true });
  expect(await client.over).toMatchObject({ error: { code: 'invalid_api_key' } });
  const record = await eventually(async () => {
    const [found] = await listRequests(gateway.gateway.store, { model: 'plain', limit: 1 });
    return found ?? expect.fail('no record yet');
  });
  expect(record.cost).toBeGreaterThan(0n);
});
