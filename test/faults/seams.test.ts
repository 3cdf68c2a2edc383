import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Hold } from '../../src/billing/hold.ts';
import { priceOf } from '../../src/config/model-price.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { StreamEvent } from '../../src/core/stream-event.ts';
import { unreportedUsage } from '../../src/core/usage.ts';
import type { EventStreamWriter } from '../../src/http/exchange.ts';
import { Bill } from '../../src/inference/bill.ts';
import { Meter } from '../../src/inference/meter.ts';
import { UsageMeter } from '../../src/inference/usage-meter.ts';
import { RunningAnswer } from '../../src/routing/running-answer.ts';
import { streamAnswer } from '../../src/surfaces/answer-stream.ts';
import type { ReplyTarget } from '../../src/surfaces/reply-target.ts';
import { sendWholeAnswer } from '../../src/surfaces/whole-answer.ts';
import { chatRequest } from '../ask-upstream.ts';
import { ScriptFlow, textDelta } from '../flows.ts';

// Every part that an answer passes on its way to the client, and a mistake at every call one part makes of another.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const mistake = new Error('a mistake of ours');
const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const used: StreamEvent = {
  type: 'usage',
  usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 2, source: 'upstream' },
};
const words = [textDelta('one'), textDelta(' two')].map((event) => [event]);

/** What a provider may say, and how it may end. */
const answers = {
  'a whole answer': () => new ScriptFlow([...words, [finish, used]], 'end'),
  'an answer without usage': () => new ScriptFlow([...words, [finish]], 'end'),
  'an answer that breaks off': () => new ScriptFlow(words, { error: new Error('cut') }),
};

/** Throws at the call of this number, whosever it is. */
class Trap {
  calls = 0;
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  set<Args extends readonly unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    return (...args) => {
      this.calls += 1;
      if (this.calls === this.#at) throw mistake;
      return work(...args);
    };
  }

  get isSprung(): boolean {
    return this.calls >= this.#at;
  }
}

function stage(answer: keyof typeof answers, trap: Trap) {
  const seen = { posts: 0, voids: 0, leaves: 0, sent: '', failures: 0, isOpen: false };
  const source = answers[answer]();
  const hold: Hold = {
    amount: 1000n,
    watch: () => {},
    whenLost: () => {},
    widen: () => Promise.resolve(),
    reprice: () => {},
    post: trap.set(() => {
      seen.posts += 1;
      return Promise.resolve();
    }),
    void: () => void (seen.voids += seen.posts + seen.voids === 0 ? 1 : 0),
  };
  const countTokens = trap.set((texts: readonly string[]) =>
    Promise.resolve({ tokens: texts.map(() => 1), source: 'counted' as const }),
  );
  const price = priceOf({ input: '1', output: '1' });
  const { signal } = new AbortController();
  const bill = new Bill({
    tally: new UsageMeter(chatRequest(), countTokens),
    price,
    hold,
    maxUsage: { promptTokens: 1000, outputTokens: 1000, toolUses: [] },
    isGivenUp: () => signal.aborted,
  });
  const place = { leave: () => void (seen.leaves += 1), position: 0 };
  const credential = { completed: trap.set(() => {}), streamFailed: trap.set(() => {}) };
  const held = { place, candidate: { credential, route: {} }, signal, bytes: 10 };
  const answered = new RunningAnswer(source, held as never);
  const writer: EventStreamWriter = {
    write: trap.set((frames) => {
      seen.sent += frames;
      return true;
    }),
    onDrain: trap.set(() => {}),
    end: trap.set((frames = '') => void (seen.sent += frames)),
    breakOff: trap.set((frames) => void (seen.sent += frames)),
    destroy: () => {},
  };
  const target: ReplyTarget = {
    gone: new AbortController().signal,
    openEventStream: trap.set(() => writer),
    fail: trap.set(() => void (seen.failures += 1)),
    send: trap.set((_status, _type, body) => void (seen.sent += body)),
  };
  const flow = new Meter(answered, bill, () => {});
  return { seen, source, target, answer: { model: 'm', upstream: 'u', flow }, bill };
}

function format(trap: Trap) {
  return {
    encoder: trap.set(() => ({ encode: trap.set(() => 'piece '), done: trap.set(() => 'DONE') })),
    keepAlive: () => 'alive ',
    errorFrame: trap.set(() => 'ERROR'),
  };
}

/** More than any of these answers makes. */
const callsMax = 40;

describe.each(Object.keys(answers) as (keyof typeof answers)[])('%s', (what) => {
  test('sent as a stream: a mistake at any call ends that answer, explicitly, and leaves nothing behind', async () => {
    for (let at = 1; ; at++) {
      expect(at).toBeLessThan(callsMax);
      const trap = new Trap(at);
      const { seen, target, answer, bill } = stage(what, trap);
      const timing = { clock: systemClock, holdHeadersMs: 1000, keepAliveEveryMs: 1000 };
      const end = await streamAnswer(target, Promise.resolve(answer), format(trap), timing);
      await bill.settle().catch(() => undefined);
      if (!trap.isSprung) break;
      expect.soft(seen.leaves, `places given back, call ${at}`).toBe(1);
      expect.soft(seen.posts + seen.voids, `money settled, call ${at}`).toBe(1);
      expect.soft(vi.getTimerCount(), `timers, call ${at}`).toBe(0);
      expect.soft(end.error, `the record, call ${at}`).toBeDefined();
      expect.soft(seen.sent.includes('DONE'), `a whole answer was told, call ${at}`).toBe(false);
    }
  });

  test('sent in one piece: a mistake at any call ends that answer and leaves nothing behind', async () => {
    for (let at = 1; ; at++) {
      expect(at).toBeLessThan(callsMax);
      const trap = new Trap(at);
      const { seen, target, answer, bill } = stage(what, trap);
      const encode = trap.set(() => 'DONE');
      const end = await sendWholeAnswer(target, Promise.resolve(answer), encode).catch((error: unknown) => ({ error }));
      await bill.settle().catch(() => undefined);
      if (!trap.isSprung) break;
      expect.soft(seen.leaves, `places given back, call ${at}`).toBe(1);
      expect.soft(seen.posts + seen.voids, `money settled, call ${at}`).toBe(1);
      expect.soft(end.error, `the record, call ${at}`).toBeDefined();
      expect.soft(seen.sent, `what was told, call ${at}`).toBe('');
    }
  });
});
