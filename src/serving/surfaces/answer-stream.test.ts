import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { DeadlineTimer } from '../../core/time/deadline-timer.ts';
import type { Caller } from '../../core/caller.ts';
import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import type { EventStreamWriter, Exchange } from '../http/exchange.ts';
import { sendAnswer } from './answer-stream.ts';
import { SharedReply } from './replies/shared-reply.ts';
import { ServedRequest } from './served-request.ts';

const clock = manualClock();
const deadlines = new DeadlineTimer(clock, () => {});
const timing = { clock, deadlines, holdHeadersMs: 60_000, keepAliveEveryMs: 60_000, onError: () => {} };
const meter = { measure: () => {}, isFinished: false, settle: () => Promise.resolve(undefined) };

/** An answer that the test controls, and whether it was cancelled. */
function controlledAnswer() {
  let sink: EventSink | undefined;
  const state = { isCancelled: false, resume: () => {} };
  const flow: EventFlow = {
    start: (reader) => void (sink = reader),
    pause: () => {},
    resume: () => state.resume(),
    cancel: () => void (state.isCancelled = true),
  };
  const emit = () => sink!.events([]);
  return { answer: { model: 'm', upstream: 'u', flow, meter }, emit, state };
}

const quietWriter: EventStreamWriter = {
  write: () => true,
  onDrain: () => {},
  end: () => {},
  breakOff: () => {},
  destroy: () => {},
};

/** A reply to an exchange with parts of its writer replaced. */
function replyWith(writer: Partial<EventStreamWriter>) {
  const failures: unknown[] = [];
  const exchange = {
    gone: new AbortController().signal,
    openEventStream: () => ({ ...quietWriter, ...writer }),
    fail: (error: unknown) => void failures.push(error),
  } as Partial<Exchange> as Exchange;
  const request = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, clock);
  return { reply: new SharedReply({ request, exchange, clock }), failures };
}

const format = {
  encoder: () => ({ encode: () => 'data: x\n\n', done: () => 'data: [DONE]\n\n' }),
  keepAlive: () => ': keep-alive\n\n',
  errorFrame: () => 'data: {"error":{}}\n\n',
};

const internalError = new Error('an internal error');
function throwError(): never {
  throw internalError;
}

test('an exception during a write ends the answer with an error frame and cancels the provider', async () => {
  const ends: string[] = [];
  const { reply, failures } = replyWith({ write: throwError, breakOff: (last) => void ends.push(last) });
  const { answer, emit, state } = controlledAnswer();
  const over = sendAnswer(reply, Promise.resolve(answer), format, timing);
  await Promise.resolve();
  emit();
  expect(await over).toMatchObject({ error: internalError, isClientGone: false, isCommitted: true });
  expect(ends).toEqual(['data: {"error":{}}\n\n']);
  expect(failures).toEqual([]);
  expect(state.isCancelled).toBe(true);
});

test('if the error frame cannot be written either, the exchange fails', async () => {
  const { reply, failures } = replyWith({ write: throwError, breakOff: throwError });
  const { answer, emit, state } = controlledAnswer();
  const over = sendAnswer(reply, Promise.resolve(answer), format, timing);
  await Promise.resolve();
  emit();
  expect(await over).toMatchObject({ error: internalError, isCommitted: true });
  expect(failures).toEqual([internalError]);
  expect(state.isCancelled).toBe(true);
});

test('an exception on drain ends the answer', async () => {
  let drained = (): void => {};
  const { reply } = replyWith({ write: () => false, onDrain: (callback) => void (drained = callback) });
  const { answer, emit, state } = controlledAnswer();
  state.resume = throwError;
  const over = sendAnswer(reply, Promise.resolve(answer), format, timing);
  await Promise.resolve();
  emit();
  await Promise.resolve();
  drained();
  expect(await over).toMatchObject({ error: internalError, isCommitted: true });
  expect(state.isCancelled).toBe(true);
});
