import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock, type Clock } from '../../src/core/time/clock.ts';
import { Bill } from '../../src/serving/inference/money/bill.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';

// If the provider answers with an error, a client that disconnects then pays nothing.

/**
 * The time that the gateway waits for the body of an error. The clock below makes it endless, so the test controls it.
 */
const errorBodyTimeoutMs = 2000;
const clock: Clock = {
  ...systemClock,
  after: (ms, work) => systemClock.after(ms === errorBodyTimeoutMs ? 1e9 : ms, work),
};

/** Sends the status of an error, and never its body. */
const statusOnly: ScriptedReply = (writer) => {
  writer.head(500, { 'content-type': 'application/json' });
  return new Promise(() => {});
};

let gateway: TestGateway;
/** Keeps connections open: the fast path takes no request whose connection is to be closed. */
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
  // Only the slow path supports log probabilities.
  ['slow', { logprobs: true }],
])(
  'on the %s path, a client that disconnects between the status and the body of an error pays nothing',
  async (name, more) => {
    await warmFastPath(gateway, name);
    gateway.provider.respond(name, statusOnly);
    undone.mockClear();
    const request = chat({ ...gateway, agent, model: name, body: more });
    await eventually(() =>
      expect(undone.mock.calls.length, 'error statuses that the gateway has read').toBeGreaterThan(0),
    );
    expect(isInFastPath()).toBe(name === 'fast');
    request.leave();
    await request.over;
    const record = await eventually(async () => {
      const [last] = await listRequests(gateway.gateway.store, { model: name, limit: 1 });
      return last?.clientGone ? last : expect.fail('no record yet');
    });
    expect([record.status, record.cost ?? 0n]).toEqual([499, 0n]);
    await expectAtRest(gateway.gateway);
  },
);
