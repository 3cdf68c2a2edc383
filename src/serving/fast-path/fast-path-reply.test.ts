import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { FakeClient } from '../../../test/fakes/fake-client.ts';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { Caller } from '../../core/caller.ts';
import { Replays } from '../surfaces/replies/replays.ts';
import { ServedRequest } from '../surfaces/served-request.ts';
import { FastPathReply } from './fast-path-reply.ts';

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('write' as const), text: fc.constantFrom('a', 'bcd', 'efghi') }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('join' as const), capacity: fc.nat({ max: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('leave' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('drain' as const), which: fc.nat() }) },
  ),
  { maxLength: 30 },
);

const join = (capacity: number) => ({ type: 'join' as const, capacity });
const write = (text: 'a' | 'bcd' | 'efghi') => ({ type: 'write' as const, text });

test('retries join a fast-path answer at any moment, and a blocked reader never delays the others', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const first = new FakeClient(3);
      const { reply, retry } = replyTo(first);
      const clients = [first];
      let [written, isFlowing, isGone] = ['', true, false];
      reply.onDrain(() => (isFlowing = true));
      reply.onGone(() => (isGone = true));
      const ends: Promise<unknown>[] = [];
      for (const step of script) {
        const connected = clients.filter((client) => client.isThere);
        if (step.type === 'write' && isFlowing && !isGone) {
          written += step.text;
          isFlowing = reply.write(step.text);
        } else if (step.type === 'join' && !isGone) {
          const client = new FakeClient(step.capacity);
          clients.push(client);
          ends.push(retry().follow(client.exchange, () => {}));
        } else if (step.type === 'leave') connected[step.which % connected.length]?.leave();
        else if (step.type === 'drain') connected[step.which % connected.length]?.drain();
        for (const client of clients) expect(written.startsWith(client.seen)).toBe(true);
        expect(reply.hasBegun).toBe(written !== '');
        if (clients.some((client) => client.isThere && !client.isBehind)) expect(isFlowing).toBe(true);
      }
      if (!isGone) reply.end('the end');
      reply.close({ error: undefined, isClientGone: isGone, isCommitted: true });
      await Promise.all(ends);
      for (const client of clients.filter(({ isThere }) => isThere)) {
        expect([client.seen, client.isEnded]).toEqual([`${written}the end`, true]);
      }
    }),
    { numRuns: 300, examples: [[[write('efghi'), join(12), write('a')]], [[join(12), write('a')]]] },
  );
});

test('a reply that fails before its first frame sends the error to every reader', () => {
  const [first, second] = [new FakeClient(9), new FakeClient(9)];
  const { reply, retry } = replyTo(first);
  void retry().follow(second.exchange, () => {});
  const error = new Error('no answer');
  reply.fail(error);
  expect([first.failures, second.failures]).toEqual([[error], [error]]);
});

test('a kept reply that the slow path completed does not keep its client and its request in memory', async () => {
  const { reply, retry } = replyTo(new FakeClient(9));
  const answer = listenTo(reply);
  const shared = reply.share();
  shared.end('all of it');
  shared.close({ error: undefined, isClientGone: false, isCommitted: true });
  await collectGarbage();
  expect(answer.deref()).toBeUndefined();
  const again = new FakeClient(9);
  await retry().follow(again.exchange, () => {});
  expect(again.seen).toBe('all of it');
});

function listenTo(reply: FastPathReply): WeakRef<object> {
  const answer = { prompt: 'a long prompt', isGone: false };
  reply.onGone(() => void (answer.isGone = true));
  return new WeakRef(answer);
}

/** A reply of the fast path, and a function that joins it as a retry. */
function replyTo(client: FakeClient) {
  const clock = manualClock();
  const request = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, clock);
  const reply = new FastPathReply(client.simpleExchange, request, clock);
  const buffers = new Replays(clock);
  const caller = { key: { keyId: 'key_1' }, site: 'main' } as Caller;
  const lookup = (isRetry: boolean) => ({
    caller,
    path: '/v1/chat/completions',
    terms: { idempotencyKey: undefined, isRetry },
    digest: 'digest',
  });
  buffers.enter(lookup(false), reply);
  return {
    reply,
    retry() {
      const found = buffers.enter(lookup(true), new FastPathReply(new FakeClient(1).simpleExchange, request, clock));
      if (found !== reply) return expect.fail('the retry does not find the reply');
      return reply;
    },
  };
}
