import { expect, test } from 'vitest';
import type { StreamEvent } from '../core/stream-event.ts';
import { HeldFlow } from './held-flow.ts';

const word = (text: string): StreamEvent => ({ type: 'text-delta', choice: 0, text });

/** Creates a flow, and records the calls to its source and the events of its reader. */
function flowWithReader() {
  const asked: string[] = [];
  const heard: unknown[] = [];
  const flow = new HeldFlow({
    pause: () => asked.push('pause'),
    resume: () => asked.push('resume'),
    cancel: () => asked.push('cancel'),
  });
  const read = async (): Promise<void> => {
    flow.start({
      events: (batch) => heard.push(batch),
      end: () => heard.push('end'),
      fail: (error) => heard.push(error),
    });
    await Promise.resolve();
  };
  return { flow, asked, heard, read };
}

test('a flow ends once and delivers nothing after its end', async () => {
  const { flow, heard, read } = flowWithReader();
  await read();
  flow.deliver([word('a')]);
  flow.end();
  flow.end();
  flow.fail('late');
  flow.deliver([word('b')]);
  expect(heard).toEqual([[word('a')], 'end']);
});

test('a flow that ended before its reader started is delivered completely', async () => {
  const { flow, asked, heard, read } = flowWithReader();
  flow.deliver([word('a')]);
  flow.fail('broken');
  flow.end();
  await read();
  expect(heard).toEqual([[word('a')], 'broken']);
  expect(asked).toEqual([]);
});

test('a reader that cancelled receives nothing, and the source is cancelled once', async () => {
  const { flow, asked, heard, read } = flowWithReader();
  flow.deliver([word('a')]);
  flow.cancel();
  flow.cancel();
  await read();
  flow.deliver([word('b')]);
  flow.end();
  flow.fail('late');
  expect(heard).toEqual([]);
  expect(asked).toEqual(['cancel']);
});

test('a reader that cancels between two held batches does not receive the second one', async () => {
  const { flow } = flowWithReader();
  const heard: unknown[] = [];
  flow.deliver([word('a')]);
  flow.deliver([word('b')]);
  flow.end();
  flow.start({
    events: (batch) => {
      heard.push(batch);
      flow.cancel();
    },
    end: () => heard.push('end'),
    fail: (error) => heard.push(error),
  });
  await Promise.resolve();
  expect(heard).toEqual([[word('a')]]);
});

test('the source is paused and resumed only when its state changes', async () => {
  const { flow, asked, read } = flowWithReader();
  await read();
  flow.resume();
  flow.pause();
  flow.pause();
  flow.resume();
  flow.resume();
  flow.end();
  flow.pause();
  expect(asked).toEqual(['pause', 'resume']);
});

test('a paused reader stays paused after the held batches were delivered', async () => {
  const { flow, asked } = flowWithReader();
  flow.deliver([word('a')]);
  flow.deliver([word('b')]);
  expect(asked).toEqual(['pause']);
  flow.start({ events: () => flow.pause(), end: () => {}, fail: () => {} });
  await Promise.resolve();
  expect(asked).toEqual(['pause']);
  flow.resume();
  expect(asked).toEqual(['pause', 'resume']);
});

test('a reader that throws on a held batch ends the flow', async () => {
  const { flow, asked } = flowWithReader();
  const heard: unknown[] = [];
  const events = (): void => {
    throw new Error('bug');
  };
  flow.deliver([word('a')]);
  flow.start({ events, end: () => heard.push('end'), fail: (error) => heard.push(error) });
  await Promise.resolve();
  flow.end();
  expect(heard).toEqual([new Error('bug')]);
  expect(asked).toEqual(['cancel']);
});
