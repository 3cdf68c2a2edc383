import { expect, test } from 'vitest';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { BufferedFlow } from './buffered-flow.ts';

const word = (text: string): StreamEvent => ({ type: 'text-delta', choice: 0, text });

/** Creates a flow, and records the calls to its source and the events of its reader. */
function flowWithReader() {
  const calls: string[] = [];
  const received: unknown[] = [];
  const flow = new BufferedFlow({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    cancel: () => calls.push('cancel'),
  });
  const read = async (): Promise<void> => {
    flow.start({
      events: (batch) => received.push(batch),
      end: () => received.push('end'),
      fail: (error) => received.push(error),
    });
    await Promise.resolve();
  };
  return { flow, calls, received, read };
}

test('a flow ends once and delivers nothing after its end', async () => {
  const { flow, received, read } = flowWithReader();
  await read();
  flow.deliver([word('a')]);
  flow.end();
  flow.end();
  flow.fail('late');
  flow.deliver([word('b')]);
  expect(received).toEqual([[word('a')], 'end']);
});

test('a flow that ended before its reader started is delivered completely', async () => {
  const { flow, calls, received, read } = flowWithReader();
  flow.deliver([word('a')]);
  flow.fail('broken');
  flow.end();
  await read();
  expect(received).toEqual([[word('a')], 'broken']);
  expect(calls).toEqual([]);
});

test('a reader that cancelled receives nothing, and the source is cancelled once', async () => {
  const { flow, calls, received, read } = flowWithReader();
  flow.deliver([word('a')]);
  flow.cancel();
  flow.cancel();
  await read();
  flow.deliver([word('b')]);
  flow.end();
  flow.fail('late');
  expect(received).toEqual([]);
  expect(calls).toEqual(['cancel']);
});

test('a reader that cancels between two held batches does not receive the second one', async () => {
  const { flow } = flowWithReader();
  const received: unknown[] = [];
  flow.deliver([word('a')]);
  flow.deliver([word('b')]);
  flow.end();
  flow.start({
    events: (batch) => {
      received.push(batch);
      flow.cancel();
    },
    end: () => received.push('end'),
    fail: (error) => received.push(error),
  });
  await Promise.resolve();
  expect(received).toEqual([[word('a')]]);
});

test('the source is paused and resumed only when its state changes', async () => {
  const { flow, calls, read } = flowWithReader();
  await read();
  flow.resume();
  flow.pause();
  flow.pause();
  flow.resume();
  flow.resume();
  flow.end();
  flow.pause();
  expect(calls).toEqual(['pause', 'resume']);
});

test('a paused reader stays paused after the held batches were delivered', async () => {
  const { flow, calls } = flowWithReader();
  flow.deliver([word('a')]);
  flow.deliver([word('b')]);
  expect(calls).toEqual(['pause']);
  flow.start({ events: () => flow.pause(), end: () => {}, fail: () => {} });
  await Promise.resolve();
  expect(calls).toEqual(['pause']);
  flow.resume();
  expect(calls).toEqual(['pause', 'resume']);
});

test('a reader that throws on a held batch ends the flow', async () => {
  const { flow, calls } = flowWithReader();
  const received: unknown[] = [];
  const events = (): void => {
    throw new Error('bug');
  };
  flow.deliver([word('a')]);
  flow.start({ events, end: () => received.push('end'), fail: (error) => received.push(error) });
  await Promise.resolve();
  flow.end();
  expect(received).toEqual([new Error('bug')]);
  expect(calls).toEqual(['cancel']);
});
