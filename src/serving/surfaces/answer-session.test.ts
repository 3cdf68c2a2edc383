import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { Receipt } from '../inference/money/bill.ts';
import { type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import { AnswerSession, type SessionInput, sessionTransitions } from './answer-session.ts';
import type { ReplyEnd } from './replies/reply-reader.ts';

const used: Usage = { ...unreportedUsage, promptTokens: 1, completionTokens: 1, source: 'upstream' };
const receipt: Receipt = {
  usage: used,
  answers: [used],
  unpaid: [],
  cost: 1n,
  notes: [],
};

/** An answer whose charge the test completes, and a log of everything that the session does. */
function stage(faults: ReadonlySet<string> = new Set()) {
  const clock = manualClock();
  const log: string[] = [];
  const ends: ReplyEnd[] = [];
  const { promise: charge, resolve, reject } = Promise.withResolvers<Receipt | undefined>();
  let isSettled = false;
  let nowMs = 0;
  const does = (what: string): void => {
    log.push(what);
    if (faults.has(what)) throw new Error(what);
  };
  const reply = {
    hasBegun: false,
    onDrain: () => {},
    write: () => {
      reply.hasBegun = true;
      does('write');
      return true;
    },
    end: () => {
      reply.hasBegun = true;
      does('end');
    },
    breakOff: () => does('breakOff'),
    fail: () => does('fail'),
    destroy: () => void log.push('destroy'),
  };
  const host = {
    clock,
    keepAliveEveryMs: 10,
    pause: () => {},
    resume: () => {},
    stop: () => does('stop'),
    keepAlive: () => ':',
    errorFrame: () => 'E',
    isSentInStream: () => false,
    reschedule: () => {},
    settle: () => {
      if (!isSettled) log.push('settle');
      isSettled = true;
      return charge;
    },
    schedule: (work: () => void) => work(),
    closed: (end: ReplyEnd) => {
      log.push('closed');
      ends.push(end);
    },
    onError: () => log.push('onError'),
  };
  const session = new AnswerSession(host, reply, 10);
  const inputs: Record<SessionInput, () => void> = {
    pass: () => session.guard(() => session.pass('frame')),
    finish: () => session.finish(() => 'last'),
    fail: () => session.fail(new Error('failed')),
    clientGone: () => session.clientGone(),
    abort: () => session.abort(new Error('aborted')),
    tick: () => session.tick((nowMs += 20)),
  };
  return { session, inputs, log, ends, charged: () => resolve(receipt), refused: () => reject(new Error('refused')) };
}

const inputNames = ['pass', 'finish', 'fail', 'clientGone', 'abort', 'tick'] as const;

test('in any order of inputs an answer is settled once and closed once, and nothing follows its end', async () => {
  const input = fc.constantFrom(...inputNames, 'charged' as const, 'refused' as const);
  const faulty = fc.constantFrom('write', 'end', 'breakOff', 'fail', 'stop');
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 12 }), fc.option(faulty), async (order, fault) => {
      const staged = stage(new Set(fault === null ? [] : [fault]));
      for (const each of [...order, 'clientGone' as const]) {
        if (each === 'charged') staged.charged();
        else if (each === 'refused') staged.refused();
        else staged.inputs[each]();
        await Promise.resolve();
        await Promise.resolve();
      }
      staged.charged();
      await new Promise((resolve) => setImmediate(resolve));
      const { log, ends, session } = staged;
      const count = (what: string): number => log.filter((each) => each === what).length;
      expect(session.isClosed).toBe(true);
      expect(count('closed')).toBe(1);
      expect(count('settle')).toBe(1);
      expect(count('end') + count('breakOff')).toBeLessThanOrEqual(2);
      expect(log.indexOf('settle')).toBeLessThan(log.includes('end') ? log.indexOf('end') : Infinity);
      expect(log.slice(log.indexOf('closed') + 1).filter((each) => each !== 'settle')).toEqual([]);
      const isComplete = ends[0]?.error === undefined && ends[0]?.isClientGone === false;
      expect(isComplete).toBe(log.includes('end') && fault !== 'end');
    }),
  );
});

test('an answer that waits for its charge cannot be aborted, and still sends keep-alives', async () => {
  const { inputs, log, ends, charged } = stage();
  inputs.pass();
  inputs.finish();
  inputs.abort();
  inputs.tick();
  inputs.tick();
  charged();
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['write', 'settle', 'write', 'end', 'closed']);
  expect(ends).toEqual([{ error: undefined, isClientGone: false, isCommitted: true }]);
});

test('an answer whose charge is refused ends with an error', async () => {
  const { inputs, log, ends, refused } = stage();
  inputs.pass();
  inputs.finish();
  refused();
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['write', 'settle', 'stop', 'breakOff', 'closed']);
  expect(ends[0]?.error).toEqual(new Error('refused'));
});

test('every state but the last accepts a client that leaves, and no input leaves the last', () => {
  const { closed, ...open } = sessionTransitions;
  expect(closed).toEqual({});
  for (const transitions of Object.values(open)) expect(transitions.clientGone).toBe('closed');
});
