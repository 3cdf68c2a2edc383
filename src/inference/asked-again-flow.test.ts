import { beforeEach, describe, expect, test } from 'vitest';
import { HandFlow, KeepingSink, textDelta } from '../../test/flows.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { unsaidUsage } from '../core/usage.ts';
import { ConstraintViolation } from '../guarantees/constraint-violation.ts';
import { AskedAgainFlow } from './asked-again-flow.ts';

const gone = { reasoning: false, text: false, calls: false };
const broken = new ConstraintViolation('json', 'It is no JSON.', { said: [], usage: undefined, gone });
const soFar: StreamEvent = {
  type: 'usage-so-far',
  usage: { ...unsaidUsage, promptTokens: 9, completionTokens: 0, source: 'upstream' },
};
const odd = (what: string): StreamEvent => ({ type: 'anomaly', what });

let first: HandFlow;
let next: HandFlow;
let client: KeepingSink;
let kept: string[][];
let asked: ConstraintViolation[];
/** Resolves or rejects the pending re-prompt. */
let begins: (flow: EventFlow) => void;
let refuses: (error: unknown) => void;
let flow: AskedAgainFlow;
beforeEach(() => {
  [first, next, client] = [new HandFlow(), new HandFlow(), new KeepingSink()];
  [kept, asked] = [[], []];
  flow = new AskedAgainFlow(first, {
    again: (why) => {
      asked.push(why);
      return new Promise((resolve, reject) => {
        [begins, refuses] = [resolve, reject];
      });
    },
    kept: (what) => void kept.push([...what]),
    onError: (error) => {
      throw error;
    },
  });
  flow.start(client);
});

/** The first answer violates a constraint, and the next one begins. */
async function asksAgain(): Promise<void> {
  first.sink?.fail(broken);
  begins(next);
  await Promise.resolve();
}

test('the reader receives one answer and one end', async () => {
  first.sink?.events([soFar, textDelta('Let me see. ')]);
  await asksAgain();
  expect([asked, client.endings]).toEqual([[broken], []]);
  next.sink?.events([soFar, textDelta('Sunny.')]);
  next.sink?.end();
  expect(client.batches.flat()).toEqual([soFar, textDelta('Let me see. '), textDelta('Sunny.')]);
  expect(client.endings).toEqual(['end']);
});

test('if no content has gone out, the usage of the next prompt is passed on', async () => {
  await asksAgain();
  next.sink?.events([soFar, textDelta('Sunny.')]);
  expect(client.batches.flat()).toEqual([soFar, textDelta('Sunny.')]);
});

test('anomalies of a discarded answer are not reported for the answer that was kept', async () => {
  first.sink?.events([odd('first')]);
  await asksAgain();
  next.sink?.events([odd('next')]);
  next.sink?.end();
  expect(kept).toEqual([['next']]);
});

test('any other error is passed on without a re-prompt', () => {
  const error = new Error('the line was cut');
  first.sink?.fail(error);
  expect([asked, client.endings, kept]).toEqual([[], [{ error }], []]);
});

test('the reader receives the error of a failed re-prompt', async () => {
  const error = new Error('nobody has a place');
  first.sink?.fail(broken);
  refuses(error);
  await expect.poll(() => client.endings, { message: 'the ends that the client received' }).toEqual([{ error }]);
  expect(kept).toEqual([]);
});

describe('a reader', () => {
  test('that is paused when the next answer begins does not receive it', async () => {
    flow.pause();
    await asksAgain();
    expect([first.isPaused, next.isPaused]).toEqual([true, true]);
    flow.resume();
    expect(next.isPaused).toBe(false);
  });

  test('that leaves during a re-prompt cancels the next answer and receives nothing more', async () => {
    first.sink?.fail(broken);
    flow.cancel();
    begins(next);
    await Promise.resolve();
    expect([next.isCancelled, next.sink, client.endings, kept]).toEqual([true, undefined, [], []]);
  });

  test('that leaves before a re-prompt fails receives nothing', async () => {
    first.sink?.fail(broken);
    flow.cancel();
    refuses(new Error('nobody has a place'));
    await Promise.resolve();
    expect(client.endings).toEqual([]);
  });

  test('that leaves later cancels the running answer', async () => {
    await asksAgain();
    flow.cancel();
    next.sink?.events([textDelta('late')]);
    next.sink?.end();
    expect([next.isCancelled, client.batches, client.endings, kept]).toEqual([true, [], [], []]);
  });
});
