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
/** Lets the next answer begin, or says why there is none. */
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

/** The first answer breaks its promise, and the next one begins. */
async function asksAgain(): Promise<void> {
  first.sink?.fail(broken);
  begins(next);
  await Promise.resolve();
}

test('the reader sees one answer, and hears of its end once', async () => {
  first.sink?.events([soFar, textDelta('Let me see. ')]);
  await asksAgain();
  expect([asked, client.endings]).toEqual([[broken], []]);
  next.sink?.events([soFar, textDelta('Sunny.')]);
  next.sink?.end();
  expect(client.batches.flat()).toEqual([soFar, textDelta('Let me see. '), textDelta('Sunny.')]);
  expect(client.endings).toEqual(['end']);
});

test('where nothing has gone out, what the next prompt took is news', async () => {
  await asksAgain();
  next.sink?.events([soFar, textDelta('Sunny.')]);
  expect(client.batches.flat()).toEqual([soFar, textDelta('Sunny.')]);
});

test('what was odd about an answer that was thrown away is not said of the one that was kept', async () => {
  first.sink?.events([odd('first')]);
  await asksAgain();
  next.sink?.events([odd('next')]);
  next.sink?.end();
  expect(kept).toEqual([['next']]);
});

test('whatever else fails is passed on, and nobody is asked', () => {
  const error = new Error('the line was cut');
  first.sink?.fail(error);
  expect([asked, client.endings, kept]).toEqual([[], [{ error }], []]);
});

test('an asking that came to nothing is what the reader is told', async () => {
  const error = new Error('nobody has a place');
  first.sink?.fail(broken);
  refuses(error);
  await expect.poll(() => client.endings, { message: 'what the client was told' }).toEqual([{ error }]);
  expect(kept).toEqual([]);
});

describe('a reader', () => {
  test('that is not ready when the next answer begins is not given it', async () => {
    flow.pause();
    await asksAgain();
    expect([first.isPaused, next.isPaused]).toEqual([true, true]);
    flow.resume();
    expect(next.isPaused).toBe(false);
  });

  test('that leaves while the model is asked again lets the next answer go, and hears nothing more', async () => {
    first.sink?.fail(broken);
    flow.cancel();
    begins(next);
    await Promise.resolve();
    expect([next.isCancelled, next.sink, client.endings, kept]).toEqual([true, undefined, [], []]);
  });

  test('that leaves while nobody can be asked is told nothing', async () => {
    first.sink?.fail(broken);
    flow.cancel();
    refuses(new Error('nobody has a place'));
    await Promise.resolve();
    expect(client.endings).toEqual([]);
  });

  test('that leaves later lets go of the answer that is running', async () => {
    await asksAgain();
    flow.cancel();
    next.sink?.events([textDelta('late')]);
    next.sink?.end();
    expect([next.isCancelled, client.batches, client.endings, kept]).toEqual([true, [], [], []]);
  });
});
