import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { chunk, finish, gate, type ReplyWriter, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { slowClock } from '../../clocks/slow-clock.ts';

let gateway: TestGateway;
beforeAll(async () => {
  // On a slow clock, connections stay open between the rounds also on a slow machine.
  gateway = await startTestGateway((base) => base, { clock: slowClock(30) });
});
afterAll(() => gateway.stop());

/** More than the retry budget allows at the same time. */
const connections = 8;

/** Answers one request on each of `connections` connections, and ends a connection at its second request. */
function endReusedConnections(end: (writer: ReplyWriter) => void): void {
  const used = new Set<number>();
  const all = gate();
  const rest = [chunk({ role: 'assistant', content: 'hello' }), finish('stop'), usage(3, 1), '[DONE]'];
  gateway.provider.respond('other', (writer, call) => {
    if (used.has(call.connection)) return end(writer);
    used.add(call.connection);
    if (used.size === connections) all.open();
    return sse([all.opened, ...rest])(writer, call);
  });
}

test.each([
  ['closes', (writer: ReplyWriter) => writer.cut()],
  ['resets', (writer: ReplyWriter) => writer.reset()],
])('a provider that %s idle connections as requests arrive causes no errors', async (_label, end) => {
  endReusedConnections(end);
  const before = gateway.provider.calls.length;
  const send = () => Promise.all(Array.from({ length: connections }, () => gateway.chat({ model: 'other' })));
  const replies = [...(await send()), ...(await send())];
  expect(replies.map(({ status, frames }) => [status, frames.at(-1)])).toEqual(replies.map(() => [200, '[DONE]']));
  expect(gateway.provider.calls.length - before, 'those of the second round were sent twice').toBe(3 * connections);
  for (const { headers } of replies) {
    const record = () => findRequest(gateway.gateway.store, headers.get('x-gateway-request-id')!);
    await expect.poll(record).toMatchObject({ attemptCount: 1, cost: 3n * 1000n + 2000n });
  }
});
