import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Hold } from '../../src/money/billing/wallet/hold.ts';
import { priceOf } from '../../src/platform/config/schema/model-price.ts';
import type { Caller } from '../../src/core/caller.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { DeadlineTimer } from '../../src/core/time/deadline-timer.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import type { EventStreamWriter } from '../../src/serving/http/exchange.ts';
import { Bill } from '../../src/serving/inference/money/bill.ts';
import { UsageMeter } from '../../src/serving/inference/tokens/usage-meter.ts';
import { ProviderCall } from '../../src/serving/routing/calls/provider-call.ts';
import { RunningAnswer } from '../../src/serving/routing/answers/running-answer.ts';
import { sendAnswer } from '../../src/serving/surfaces/answer-stream.ts';
import type { ReplyTarget } from '../../src/serving/surfaces/replies/reply-reader.ts';
import { SharedReply } from '../../src/serving/surfaces/replies/shared-reply.ts';
import { ServedRequest } from '../../src/serving/surfaces/served-request.ts';
import { jsonFormat } from '../../src/serving/surfaces/json-reply.ts';
import { chatRequest } from '../call-upstream.ts';
import { ScriptFlow, textDelta } from '../fakes/flows.ts';

// All parts that an answer passes on its way to the client, with an error thrown at each call between two parts.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const internalError = new Error('an internal error');
const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const used: StreamEvent = {
  type: 'usage',
  usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 2, source: 'upstream' },
};
const words = [textDelta('one'), textDelta(' two')].map((event) => [event]);

/** Answers of a provider, with their different endings. */
const answers = {
  'a complete answer': () => new ScriptFlow([...words, [finish, used]], 'end'),
  'an answer without usage': () => new ScriptFlow([...words, [finish]], 'end'),
  'an answer that breaks off': () => new ScriptFlow(words, { error: new Error('cut') }),
};

/** Counts the calls of all functions that it wraps, and throws at call number `at`. */
class Trap {
  calls = 0;
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  wrap<Args extends readonly unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    return (...args) => {
      this.calls += 1;
      if (this.calls === this.#at) throw internalError;
      return work(...args);
    };
  }

  get hasThrown(): boolean {
    return this.calls >= this.#at;
  }
}

function stage(answer: keyof typeof answers, trap: Trap) {
  const seen = { posts: 0, voids: 0, releases: 0, sent: '', failures: 0, isOpen: false };
  const source = answers[answer]();
  const hold: Hold = {
    amount: 1000n,
    watch: () => {},
    whenLost: () => {},
    widen: () => Promise.resolve(),
    reprice: () => {},
    post: trap.wrap(() => {
      seen.posts += 1;
      return Promise.resolve();
    }),
    void: () => void (seen.voids += seen.posts + seen.voids === 0 ? 1 : 0),
  };
  const countTokens = trap.wrap((texts: readonly string[]) =>
    Promise.resolve({ tokens: texts.map(() => 1), source: 'counted' as const }),
  );
  const price = priceOf({ input: '1', output: '1' });
  const { signal } = new AbortController();
  const bill = new Bill({
    usageMeter: new UsageMeter(chatRequest(), countTokens),
    price,
    hold,
    maxUsage: { promptTokens: 1000, outputTokens: 1000, toolUses: [] },
    isGivenUp: () => signal.aborted,
  });
  const slot = { release: () => void (seen.releases += 1), position: 0 };
  const credential = { begun: () => {}, completed: trap.wrap(() => {}), streamFailed: trap.wrap(() => {}) };
  const call = new ProviderCall({ slot, candidate: { credential, route: {} } } as never, 0, 10);
  call.begin(0);
  const answered = new RunningAnswer(source, call, signal);
  const writer: EventStreamWriter = {
    write: trap.wrap((frames) => {
      seen.sent += frames;
      return true;
    }),
    onDrain: trap.wrap(() => {}),
    end: trap.wrap((frames = '') => void (seen.sent += frames)),
    breakOff: trap.wrap((frames) => void (seen.sent += frames)),
    destroy: () => {},
  };
  const target: ReplyTarget = {
    gone: new AbortController().signal,
    openEventStream: trap.wrap(() => writer),
    fail: trap.wrap(() => void (seen.failures += 1)),
    send: trap.wrap((_status, _type, body) => void (seen.sent += body)),
  };
  bill.begin();
  const request = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, systemClock);
  const reply = new SharedReply({ request, exchange: target, clock: systemClock });
  return { seen, source, reply, answer: { model: 'm', upstream: 'u', flow: answered, meter: bill }, bill };
}

function format(trap: Trap) {
  return {
    encoder: trap.wrap(() => ({ encode: trap.wrap(() => 'piece '), done: trap.wrap(() => 'DONE') })),
    keepAlive: () => 'alive ',
    errorFrame: trap.wrap(() => 'ERROR'),
  };
}

function stageTiming() {
  const deadlines = new DeadlineTimer(systemClock, () => {});
  return { clock: systemClock, deadlines, holdHeadersMs: 1000, keepAliveEveryMs: 1000, onError: () => {} };
}

/** More calls than any of these answers makes. */
const callsMax = 40;

describe.each(Object.keys(answers) as (keyof typeof answers)[])('%s', (name) => {
  test('sent as a stream: an error at any call ends the answer with an error, and leaves nothing behind', async () => {
    for (let at = 1; ; at++) {
      expect(at).toBeLessThan(callsMax);
      const trap = new Trap(at);
      const { seen, reply, answer, bill } = stage(name, trap);
      const timing = stageTiming();
      const end = await sendAnswer(reply, Promise.resolve(answer), format(trap), timing);
      await bill.settle().catch(() => undefined);
      if (!trap.hasThrown) break;
      expect.soft(seen.releases, `slots released, call ${at}`).toBe(1);
      expect.soft(seen.posts + seen.voids, `money settled, call ${at}`).toBe(1);
      expect.soft(timing.deadlines.size, `deadlines, call ${at}`).toBe(0);
      expect.soft(end.error, `the record, call ${at}`).toBeDefined();
      expect.soft(seen.sent.includes('DONE'), `a complete answer was sent, call ${at}`).toBe(false);
    }
  });

  test('sent in one piece: an error at any call ends the answer and leaves nothing behind', async () => {
    for (let at = 1; ; at++) {
      expect(at).toBeLessThan(callsMax);
      const trap = new Trap(at);
      const { seen, reply, answer, bill } = stage(name, trap);
      const encode = trap.wrap(() => 'DONE');
      const end = await sendAnswer(reply, Promise.resolve(answer), jsonFormat(encode), stageTiming());
      await bill.settle().catch(() => undefined);
      if (!trap.hasThrown) break;
      expect.soft(seen.releases, `slots released, call ${at}`).toBe(1);
      expect.soft(seen.posts + seen.voids, `money settled, call ${at}`).toBe(1);
      expect.soft(end.error, `the record, call ${at}`).toBeDefined();
      expect.soft(seen.sent, `sent text, call ${at}`).toBe('');
    }
  });
});
