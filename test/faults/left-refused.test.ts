import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock, type Clock } from '../../src/core/clock.ts';
import { Bill } from '../../src/inference/bill.ts';
import { listRequests } from '../../src/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import type { ScriptedReply } from '../fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';

// A provider that has answered with an error has accepted nothing: a client that leaves then pays nothing.

/** How long the gateway waits for the reason of a refusal. It waits for ever here, so that a test owns that moment. */
const reasonMs = 2000;
const clock: Clock = { ...systemClock, after: (ms, work) => systemClock.after(ms === reasonMs ? 1e9 : ms, work) };

/** The status of a refusal, and never its reason. */
const speechless: ScriptedReply = (writer) => {
  writer.head(500, { 'content-type': 'application/json' });
  return new Promise(() => {});
};

let gateway: TestGateway;
/** The fast path takes no request of a connection that is to be closed. */
const agent = new Agent({ keepAlive: true });
const undone = vi.spyOn(Bill.prototype, 'undone');
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base) => ({ ...base, models: [model('fast'), model('slow')] }), { clock });
});
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
});

test.each([
  ['fast', {}],
  // Only the slow path answers with these.
  ['slow', { logprobs: true }],
])('on the %s path a client that leaves between status and reason of a refusal pays nothing', async (name, more) => {
  await warmFastPath(gateway, name);
  gateway.provider.respond(name, speechless);
  undone.mockClear();
  const asked = chat({ ...gateway, agent, model: name, body: more });
  await eventually(() => expect(undone.mock.calls.length, 'refusals that the gateway has read').toBeGreaterThan(0));
  expect(isInFastPath()).toBe(name === 'fast');
  asked.leave();
  await asked.over;
  const record = await eventually(async () => {
    const [last] = await listRequests(gateway.gateway.store, { model: name, limit: 1 });
    return last?.clientGone ? last : expect.fail('no record yet');
  });
  expect([record.status, record.cost ?? 0n]).toEqual([499, 0n]);
  await expectAtRest(gateway.gateway);
});
