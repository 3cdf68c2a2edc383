import { beforeEach, describe, expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { ConstraintViolation } from 'chat-formats/guarantees/constraint-violation.ts';
import { RePromptFlow } from './re-prompt-flow.ts';

const gone = { reasoning: false, text: false, calls: false };
const violation = new ConstraintViolation('json', 'It is no JSON.', { output: [], usage: undefined, sent: gone });
const soFar: StreamEvent = {
  type: 'usage-so-far',
  usage: { ...unreportedUsage, promptTokens: 9, completionTokens: 0, source: 'upstream' },
};
const anomaly = (what: string): StreamEvent => ({ type: 'anomaly', what });

let first: ManualFlow;
let next: ManualFlow;
let client: CollectingSink;
let acceptedAnomalies: string[][];
let rePrompted: ConstraintViolation[];
/** Resolves or rejects the pending re-prompt. */
let resolveRePrompt: (flow: EventFlow) => void;
let rejectRePrompt: (error: unknown) => void;
let flow: RePromptFlow;
beforeEach(() => {
  [first, next, client] = [new ManualFlow(), new ManualFlow(), new CollectingSink()];
  [acceptedAnomalies, rePrompted] = [[], []];
  flow = new RePromptFlow(first, {
    rePrompt: (why) => {
      rePrompted.push(why);
      return new Promise((resolve, reject) => {
        [resolveRePrompt, rejectRePrompt] = [resolve, reject];
      });
    },
    accepted: (what) => void acceptedAnomalies.push([...what]),
    onError: (error) => {
      throw error;
    },
  });
  flow.start(client);
});

/** The first answer violates a constraint, and the next one begins. */
async function violateOnce(): Promise<void> {
  first.sink?.fail(violation);
  resolveRePrompt(next);
  await Promise.resolve();
}

test('the reader receives one answer and one end', async () => {
  first.sink?.events([soFar, textDelta('Let me see. ')]);
  await violateOnce();
  expect([rePrompted, client.endings]).toEqual([[violation], []]);
  next.sink?.events([soFar, textDelta('Sunny.')]);
  next.sink?.end();
  expect(client.batches.flat()).toEqual([soFar, textDelta('Let me see. '), textDelta('Sunny.')]);
  expect(client.endings).toEqual(['end']);
});

test('if no content has gone out, the usage of the next prompt is passed on', async () => {
  await violateOnce();
  next.sink?.events([soFar, textDelta('Sunny.')]);
  expect(client.batches.flat()).toEqual([soFar, textDelta('Sunny.')]);
});

test('anomalies of a discarded answer are not reported for the answer that was accepted', async () => {
  first.sink?.events([anomaly('first')]);
  await violateOnce();
  next.sink?.events([anomaly('next')]);
  next.sink?.end();
  expect(acceptedAnomalies).toEqual([['next']]);
});

test('any other error is passed on without a re-prompt', () => {
  const error = new Error('the connection broke');
  first.sink?.fail(error);
  expect([rePrompted, client.endings, acceptedAnomalies]).toEqual([[], [{ error }], []]);
});

test('the reader receives the error of a failed re-prompt', async () => {
  const error = new Error('no slot is free');
  first.sink?.fail(violation);
  rejectRePrompt(error);
  await expect.poll(() => client.endings, { message: 'the ends that the client received' }).toEqual([{ error }]);
  expect(acceptedAnomalies).toEqual([]);
});

describe('a reader', () => {
  test('that is paused when the next answer begins does not receive it', async () => {
    flow.pause();
    await violateOnce();
    expect([first.isPaused, next.isPaused]).toEqual([true, true]);
    flow.resume();
    expect(next.isPaused).toBe(false);
  });

  test('that leaves during a re-prompt cancels the next answer and receives nothing more', async () => {
    first.sink?.fail(violation);
    flow.cancel();
    resolveRePrompt(next);
    await Promise.resolve();
    expect([next.isCancelled, next.sink, client.endings, acceptedAnomalies]).toEqual([true, undefined, [], []]);
  });

  test('that leaves before a re-prompt fails receives nothing', async () => {
    first.sink?.fail(violation);
    flow.cancel();
    rejectRePrompt(new Error('no slot is free'));
    await Promise.resolve();
    expect(client.endings).toEqual([]);
  });

  test('that leaves later cancels the running answer', async () => {
    await violateOnce();
    flow.cancel();
    next.sink?.events([textDelta('late')]);
    next.sink?.end();
    expect([next.isCancelled, client.batches, client.endings, acceptedAnomalies]).toEqual([true, [], [], []]);
  });
});
