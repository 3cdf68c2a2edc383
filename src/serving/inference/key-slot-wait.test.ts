import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { KeyHolder } from '../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { QueueLimit } from '../routing/fair-queue/queue-limit.ts';
import { KeySlots } from '../routing/slots/key-slots.ts';
import { withKeySlot } from './key-slot-wait.ts';

const signal = new AbortController().signal;
const waits = () => undefined;
const dayMs = 86_400_000;
const idle = { batchId: 'batch', deadlineMs: dayMs, ordinaryFromMs: dayMs };
const flushed = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};

/** A key with two slots, and an upstream that gives idle requests a slot only when the test says so. */
function fixture() {
  const clock = manualClock();
  const key = { accountId: 'a', keyId: 'k', concurrency: { firstKeyId: 'k', max: 2 } } as unknown as KeyHolder;
  const keySlots = new KeySlots({
    clock,
    queueLimit: new QueueLimit(() => ({ requests: 100, bytes: 1e6 })),
    termsOf: () => Promise.resolve({ firstKeyId: 'k', max: 2 }),
    alarm: (error) => expect.fail(String(error)),
  });
  const upstream = Promise.withResolvers<string>();
  const opened: number[] = [];
  const open = (deadlineMs: number): Promise<string> => {
    opened.push(clock.elapsed());
    const timeout = Promise.withResolvers<string>();
    clock.after(deadlineMs - clock.elapsed(), () => timeout.reject(new GatewayError('overloaded')));
    return Promise.race([upstream.promise, timeout.promise]);
  };
  const wait = { clock, bytes: 1, deadlineMs: dayMs, entered: waits, onQueueTimeout: waits };
  const line = () => {
    const keySlot = keySlots.of(key)!;
    return { keySlot, answer: withKeySlot({ keySlot, idle, signal, waits }, wait, open) };
  };
  const interactive = () => {
    const keySlot = keySlots.of(key)!;
    const deadlineMs = clock.elapsed() + 60_000;
    const entering = keySlot.enter({ signal, deadlineMs, bytes: 1, waits, onQueueTimeout: waits });
    return { keySlot, entering };
  };
  return { clock, keySlots, upstream, opened, line, interactive };
}

test('an idle request that waits for an upstream holds a slot of its key for 1 s while others of the key wait', async () => {
  const { clock, keySlots, opened, line, interactive } = fixture();
  const { answer } = line();
  void answer.catch(() => undefined);
  await flushed();
  expect([keySlots.taken, opened]).toEqual([1, [0]]);
  const [first, second] = [interactive(), interactive()];
  await first.entering;
  clock.advance(1000);
  await flushed();
  expect(await second.entering).toBe(1000);
  // Both slots of the key are busy: the idle request waits for one of them again.
  clock.advance(30_000);
  await flushed();
  expect([keySlots.taken, keySlots.waiting, opened.length]).toEqual([2, 1, 1]);
  first.keySlot.leave();
  await flushed();
  expect([keySlots.taken, keySlots.waiting]).toEqual([1, 1]);
  second.keySlot.leave();
  await flushed();
  expect([keySlots.taken, keySlots.waiting, opened.length]).toEqual([1, 0, 2]);
});

test('an idle request takes its slot of the key again until the upstream has one, and then holds it', async () => {
  const { clock, keySlots, upstream, opened, line } = fixture();
  const { keySlot, answer } = line();
  for (let second = 0; second < 5; second += 1) {
    await flushed();
    clock.advance(1000);
  }
  await flushed();
  expect(opened).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
  upstream.resolve('answer');
  expect(await answer).toBe('answer');
  clock.advance(60_000);
  await flushed();
  expect(keySlots.taken).toBe(1);
  keySlot.leave();
  await flushed();
  expect(keySlots.taken).toBe(0);
});

test('an idle request whose upstream fails keeps the failure, and its slot until it leaves', async () => {
  const { keySlots, upstream, line } = fixture();
  const { keySlot, answer } = line();
  await flushed();
  upstream.reject(new GatewayError('overloaded'));
  await expect(answer).rejects.toMatchObject({ case: 'overloaded' });
  expect(keySlots.taken).toBe(1);
  keySlot.leave();
  await flushed();
  expect(keySlots.taken).toBe(0);
});

test('of the slots of a key, one stays free of idle requests', async () => {
  const { keySlots, line } = fixture();
  for (let count = 0; count < 3; count += 1) void line().answer.catch(() => undefined);
  await flushed();
  expect([keySlots.taken, keySlots.waiting]).toEqual([1, 2]);
});

test('a request that has its slot enters again without a wait', async () => {
  const { clock, interactive } = fixture();
  const [first, , third] = [interactive(), interactive(), interactive()];
  await first.entering;
  clock.advance(1000);
  first.keySlot.leave();
  expect(await third.entering).toBe(1000);
  const again = { signal, deadlineMs: dayMs, bytes: 1, waits, onQueueTimeout: waits };
  expect(await third.keySlot.enter(again)).toBe(0);
});
