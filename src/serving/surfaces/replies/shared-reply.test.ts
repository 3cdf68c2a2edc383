import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../../test/collect-garbage.ts';
import { FakeClient } from '../../../../test/fakes/fake-client.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { Replays } from './replays.ts';
import { ServedRequest } from '../served-request.ts';
import { SharedReply } from './shared-reply.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Exchange } from '../../http/exchange.ts';

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('say' as const), text: fc.string({ maxLength: 9 }) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('join' as const), capacity: fc.nat({ max: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('leave' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('drain' as const), which: fc.nat() }) },
  ),
  { maxLength: 40 },
);

/** Found by a random run: a reader that catches up on an empty piece must not receive the next piece twice. */
const emptyPieceWhileBehind = [
  { type: 'say' as const, text: ' ' },
  { type: 'join' as const, capacity: 0 },
  { type: 'say' as const, text: '' },
  { type: 'drain' as const, which: 1 },
  { type: 'say' as const, text: ' ' },
];

test('each reader receives the same bytes from the start, in any order of joins, leaves and drains', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat({ max: 60 }), async (script, charactersMax) => {
      const { enter, request } = registry({ charactersMax });
      const first = new FakeClient(3);
      const reply = replyTo(first, 1000);
      expect(enter(request, reply)).toBeUndefined();
      const clients = [first];
      const ends: Promise<unknown>[] = [];
      let sent = '';
      let isFlowing = true;
      reply.onDrain(() => {
        isFlowing = true;
      });
      for (const step of script) {
        const there = clients.filter((client) => client.isThere);
        if (step.type === 'say' && isFlowing && !reply.gone.aborted) {
          sent += step.text;
          isFlowing = reply.write(step.text);
        } else if (step.type === 'join') {
          const found = enter(request, replyTo(new FakeClient(1), 0));
          if (found !== reply) continue;
          const client = new FakeClient(step.capacity);
          clients.push(client);
          ends.push(reply.follow(client.exchange, () => {}));
        } else if (step.type === 'leave') there[step.which % there.length]?.leave();
        else if (step.type === 'drain') there[step.which % there.length]?.drain();
        for (const client of clients) expect(sent.startsWith(client.seen)).toBe(true);
        const isAnyoneReady = there.some((client) => client.isThere && !client.isBehind);
        if (isAnyoneReady) expect(isFlowing).toBe(true);
      }
      const isGone = reply.gone.aborted;
      if (!isGone) reply.end('the end');
      reply.close({ error: undefined, isClientGone: isGone, isCommitted: true });
      await Promise.all(ends);
      for (const client of clients.filter(({ isThere }) => isThere)) {
        expect([client.seen, client.isEnded]).toEqual([`${sent}the end`, true]);
      }
    }),
    { numRuns: 200, examples: [[emptyPieceWhileBehind, 9]] },
  );
});

test('a client that stopped reading is closed when its frames cannot be kept, and does not delay the other', () => {
  const { enter, request } = registry({ charactersMax: 10 });
  const [stalled, reading] = [new FakeClient(0), new FakeClient(1000)];
  const reply = replyTo(stalled, 0);
  enter(request, reply);
  expect(reply.write('12345')).toBe(false);
  void reply.follow(reading.exchange, () => {});
  expect(reply.write('67890')).toBe(true);
  expect([stalled.isThere, stalled.seen]).toEqual([true, '12345']);
  expect(reply.write('more than is kept')).toBe(true);
  expect([stalled.isThere, stalled.seen, reading.seen]).toEqual([false, '12345', '1234567890more than is kept']);
});

test('the provider resumes when its only client drains, even if the client accepted a piece before', () => {
  let drained = (): void => {};
  const accepts = [false, true];
  const writer = { write: () => accepts.shift()!, onDrain: (callback: () => void) => void (drained = callback) };
  const exchange = {
    gone: new AbortController().signal,
    openEventStream: () => writer,
  } as unknown as Exchange;
  const clock = manualClock();
  const request = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, clock);
  const reply = new SharedReply({ exchange, request, clock });
  let isResumed = false;
  reply.onDrain(() => (isResumed = true));
  reply.write('a frame');
  reply.write('a keep-alive');
  drained();
  expect(isResumed).toBe(true);
});

test('an exception of one of several clients ends only that client; of the last client, it ends the reply', () => {
  const { enter, request } = registry({});
  const [first, second] = [new FakeClient(1000), new FakeClient(1000)];
  const reply = replyTo(first, 0);
  enter(request, reply);
  void reply.follow(second.exchange, () => {});
  reply.write('one');
  first.writeError = new Error('an internal error');
  expect(reply.write(' two')).toBe(true);
  expect([first.seen, second.seen, first.failures]).toEqual(['one', 'one two', [first.writeError]]);
  second.writeError = new Error('another one');
  expect(() => reply.write(' three')).toThrow(second.writeError);
});

test('an exception while a client catches up ends its reading, not the process', () => {
  const { enter, request } = registry({});
  const client = new FakeClient(1);
  const reply = replyTo(client, 0);
  enter(request, reply);
  reply.write('one');
  reply.write('two');
  client.writeError = new Error('an internal error');
  client.drain();
  expect([client.failures, reply.gone.aborted]).toEqual([[client.writeError], true]);
});

test('a reply without an Idempotency-Key ends with its client and cannot be joined afterwards', () => {
  const { enter, request } = registry({});
  const client = new FakeClient(9);
  const reply = replyTo(client, 0);
  enter(request, reply);
  client.leave();
  expect(reply.gone.aborted).toBe(true);
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBeUndefined();
});

test('a reply with an Idempotency-Key continues for 10 s after its client left', () => {
  const { enter, request, clock } = registry({});
  const [client, again] = [new FakeClient(9), new FakeClient(9)];
  const reply = replyTo(client, 10_000, clock);
  enter(request, reply);
  reply.write('one');
  client.leave();
  clock.advance(9_999);
  void reply.follow(again.exchange, () => {});
  clock.advance(60_000);
  expect(reply.gone.aborted).toBe(false);
  again.leave();
  clock.advance(10_000);
  expect(reply.gone.aborted).toBe(true);
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBeUndefined();
});

test('a reply still ends after 10 s if a retry throws while it joins', () => {
  const { enter, request, clock } = registry({});
  const [client, again] = [new FakeClient(9), new FakeClient(9)];
  const reply = replyTo(client, 10_000, clock);
  enter(request, reply);
  reply.write('one');
  client.leave();
  again.writeError = new Error('an internal error');
  expect(() => reply.follow(again.exchange, () => {})).toThrow(again.writeError);
  clock.advance(10_000);
  expect(reply.gone.aborted).toBe(true);
});

test('a reply that ends without readers is complete, even if its end exceeds the replay buffer', () => {
  const { enter, request } = registry({ charactersMax: 10 });
  const client = new FakeClient(1000);
  const reply = replyTo(client, 10_000);
  enter(request, reply);
  client.leave();
  reply.end('more than is kept of it');
  expect(reply.gone.aborted).toBe(false);
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBeUndefined();
});

test('a kept reply does not keep the request that listened to it in memory', async () => {
  const { enter, request } = registry({});
  const reply = replyTo(new FakeClient(1000), 0);
  enter(request, reply);
  const inference = listenTo(reply);
  reply.end('all of it');
  reply.close({ error: undefined, isClientGone: false, isCommitted: true });
  await collectGarbage();
  expect(inference.deref()).toBeUndefined();
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBe(reply);
});

function listenTo(reply: SharedReply): WeakRef<object> {
  const inference = { prompt: 'a long prompt', isStopped: false };
  reply.gone.addEventListener('abort', () => void (inference.isStopped = true));
  return new WeakRef(inference);
}

test('a complete reply can be replayed until it expires; a failed one cannot', () => {
  const { enter, request, clock } = registry({ keepMs: 100 });
  const whole = replyTo(new FakeClient(9), 0);
  enter(request, whole);
  whole.end('all of it');
  whole.close({ error: undefined, isClientGone: false, isCommitted: true });
  clock.advance(99);
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBe(whole);
  clock.advance(1);
  const failing = replyTo(new FakeClient(9), 0);
  expect(enter(request, failing)).toBeUndefined();
  failing.end('an error frame');
  failing.close({ error: new Error('cut'), isClientGone: false, isCommitted: true });
  expect(enter(request, replyTo(new FakeClient(9), 0))).toBeUndefined();
});

test('the oldest complete replies are evicted, and running replies above the limit are not kept', () => {
  const { enter, request } = registry({ charactersMax: 100, allCharactersMax: 150, repliesMax: 3 });
  const named = (digest: string) => ({ ...request, digest });
  const finished = (digest: string, characters: number) => {
    const reply = replyTo(new FakeClient(1000), 0);
    enter(named(digest), reply);
    reply.end('x'.repeat(characters));
    reply.close({ error: undefined, isClientGone: false, isCommitted: true });
    return reply;
  };
  const isKept = (digest: string) => enter(named(digest), replyTo(new FakeClient(9), 0)) !== undefined;
  const [, second] = [finished('a', 80), finished('b', 70), finished('c', 80)];
  expect(enter(named('b'), replyTo(new FakeClient(9), 0))).toBe(second);
  expect(isKept('c')).toBe(true);
  finished('d', 101);
  expect(isKept('d')).toBe(false);
  // Replies that were never kept free no space and are not searched.
  for (let more = 0; more < 5; more += 1) finished(`d${more}`, 101);
  finished('e', 1);
  expect([isKept('b'), isKept('e')]).toEqual([false, true]);
});

test('after a complete reply with an Idempotency-Key is evicted, a retry generates a new one', () => {
  const { enter, request } = registry({ repliesMax: 1 });
  const named = (idempotencyKey: string) => ({ ...request, terms: { idempotencyKey, isRetry: false } });
  const finished = replyTo(new FakeClient(1000), 0);
  enter(named('first'), finished);
  finished.end('all of it');
  finished.close({ error: undefined, isClientGone: false, isCommitted: true });
  enter(named('second'), replyTo(new FakeClient(1000), 0));
  expect(enter(named('first'), replyTo(new FakeClient(1000), 0))).toBeUndefined();
});

test('a reply with an Idempotency-Key above the limit blocks retries while it runs, and is not kept afterwards', () => {
  const { enter, request } = registry({ charactersMax: 10 });
  const named = { ...request, terms: { idempotencyKey: 'name', isRetry: false } };
  const reply = replyTo(new FakeClient(1000), 10_000);
  enter(named, reply);
  reply.write('more than is kept of it');
  expect(() => enter(named, replyTo(new FakeClient(9), 0))).toThrow(/is still in progress/);
  reply.end();
  reply.close({ error: undefined, isClientGone: false, isCommitted: true });
  expect(enter(named, replyTo(new FakeClient(9), 0))).toBeUndefined();
});

function registry(limits: Partial<NonNullable<ConstructorParameters<typeof Replays>[1]>>) {
  const clock = manualClock();
  const usual = { repliesMax: 10, charactersMax: 1000, allCharactersMax: 10_000, keepMs: 1000, lingerMs: 10_000 };
  const replays = new Replays(clock, { ...usual, ...limits });
  const enter: Replays['enter'] = (request, own) => replays.enter(request, own);
  const caller = { key: { keyId: 'key_1' }, site: 'main' } as Caller;
  const terms = { idempotencyKey: undefined, isRetry: true };
  return { enter, clock, request: { caller, path: '/v1/chat/completions', terms, digest: 'digest' } };
}

function replyTo(client: FakeClient, lingerMs: number, clock: Clock = manualClock()): SharedReply {
  const request = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, clock);
  return new SharedReply({ exchange: client.exchange, request, lingerMs, clock });
}
