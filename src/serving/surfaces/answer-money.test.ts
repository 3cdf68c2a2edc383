import { expect, test } from 'vitest';
import { chatRequest } from '../../../test/call-upstream.ts';
import { ManualFlow, textDelta } from '../../../test/fakes/flows.ts';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { Hold } from '../../money/billing/wallet/hold.ts';
import { priceOf } from '../../platform/config/schema/model-price.ts';
import type { Caller } from '../../core/caller.ts';
import { DeadlineTimer } from '../../core/time/deadline-timer.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { Bill } from '../inference/money/bill.ts';
import { UsageMeter } from '../inference/tokens/usage-meter.ts';
import { sendAnswer } from './answer-stream.ts';
import type { ReplyTarget } from './replies/reply-reader.ts';
import { SharedReply } from './replies/shared-reply.ts';
import { ServedRequest } from './served-request.ts';

// The charge of an answer and the end of its reply.

const usage: Usage = {
  promptTokens: 10,
  completionTokens: 2,
  cachedTokens: undefined,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
  promptAudioTokens: undefined,
  promptImageTokens: undefined,
  completionAudioTokens: undefined,
  source: 'upstream',
};
const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const used: StreamEvent = { type: 'usage', usage };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function fixture() {
  const posted: bigint[] = [];
  let isVoid = false;
  let durable = (): void => {};
  const hold: Hold = {
    amount: 1000n,
    watch: () => {},
    whenLost: () => {},
    widen: () => Promise.resolve(),
    reprice: () => {},
    post: (cost) => {
      posted.push(cost);
      return new Promise((resolve) => {
        durable = resolve;
      });
    },
    void: () => {
      isVoid = true;
    },
  };
  const countTokens = (texts: readonly string[]) =>
    Promise.resolve({ tokens: texts.map((text) => text.length), source: 'counted' as const });
  const request = chatRequest({ messages: [] });
  const usageMeter = new UsageMeter(request, countTokens);
  const bill = new Bill({
    usageMeter,
    price: priceOf({ input: '1', output: '1' }),
    hold,
    maxUsage: { promptTokens: 1000, outputTokens: 1000, toolUses: [] },
    isGivenUp: () => false,
  });
  bill.begin();
  const source = new ManualFlow();
  const sent: string[] = [];
  const leaving = new AbortController();
  const target: ReplyTarget = {
    gone: leaving.signal,
    fail: (error) => void sent.push(`status of ${String(error)}`),
    send: () => {},
    openEventStream: () => ({
      write: (frames) => {
        sent.push(frames);
        return true;
      },
      onDrain: () => {},
      end: (frames = '') => void sent.push(`${frames}END`),
      breakOff: (frames) => void sent.push(frames),
      destroy: () => {},
    }),
  };
  const clock = manualClock();
  const deadlines = new DeadlineTimer(clock, () => {});
  const timing = { clock, deadlines, holdHeadersMs: 60_000, keepAliveEveryMs: 60_000, onError: () => {} };
  const format = {
    encoder: () => ({ encode: (batch: readonly StreamEvent[]) => batch.map(frameOf).join(''), done: () => '' }),
    keepAlive: () => '',
    errorFrame: () => 'ERROR',
  };
  const answer = { model: 'm', upstream: 'u', flow: source, meter: bill };
  const about = new ServedRequest({ id: 'r', path: '/v1/chat/completions' }, {} as Caller, clock);
  const reply = new SharedReply({ request: about, exchange: target, clock });
  const over = sendAnswer(reply, Promise.resolve(answer), format, timing);
  const leave = (): void => leaving.abort();
  return { source, sent, over, leave, posted, isVoid: () => isVoid, makeDurable: () => durable() };
}

function frameOf(event: StreamEvent): string {
  if (event.type === 'text-delta') return `${event.text}|`;
  return event.type === 'usage' ? `${event.usage.promptTokens}+${event.usage.completionTokens}|` : `${event.type}|`;
}

test('the end waits until the charge is durable, and leaves together with the last batch', async () => {
  const { source, sent, over, posted, makeDurable } = fixture();
  await turn();
  source.sink?.events([textDelta('one')]);
  source.sink?.events([textDelta(' two'), finish, used]);
  source.sink?.end();
  await turn();
  expect(posted).toEqual([12n * 1000n]);
  expect(sent).toEqual(['one|']);
  makeDurable();
  expect(await over).toEqual({ error: undefined, isClientGone: false, isCommitted: true });
  expect(sent).toEqual(['one|', ' two|finish|10+2|END']);
});

test('an answer that breaks off is charged once, for the part received', async () => {
  const { source, sent, over, posted, leave } = fixture();
  await turn();
  source.sink?.events([textDelta('four')]);
  source.sink?.fail(new Error('cut'));
  leave();
  expect(await over).toEqual({ error: new Error('cut'), isClientGone: false, isCommitted: true });
  await turn();
  expect(posted).toHaveLength(1);
  expect(sent).toEqual(['four|ERROR']);
});

test('an answer whose client leaves is charged once, for the part received, and its provider is cancelled', async () => {
  const { source, over, posted, leave } = fixture();
  await turn();
  source.sink?.events([textDelta('four')]);
  leave();
  source.sink?.fail(new Error('cut'));
  expect(await over).toMatchObject({ isClientGone: true });
  await turn();
  expect([posted.length, source.isCancelled]).toEqual([1, true]);
});

test('a client that leaves while the gateway waits for the charge gets no end, and pays once', async () => {
  const { source, sent, over, posted, leave, makeDurable } = fixture();
  await turn();
  source.sink?.events([textDelta('all'), finish, used]);
  source.sink?.end();
  leave();
  makeDurable();
  expect(await over).toMatchObject({ isClientGone: true });
  await turn();
  expect([posted.length, sent]).toEqual([1, []]);
});

test('events before a failure after the finish are still sent', async () => {
  const { source, sent, over } = fixture();
  await turn();
  source.sink?.events([textDelta('all'), finish]);
  source.sink?.fail(new Error('cut'));
  await over;
  expect(sent).toEqual(['all|finish|ERROR']);
});

test('an empty answer costs nothing, and its error has its own status', async () => {
  const { source, sent, over, posted, isVoid } = fixture();
  await turn();
  source.sink?.fail(new Error('cut'));
  await over;
  await turn();
  expect([posted, isVoid(), sent]).toEqual([[], true, ['status of Error: cut']]);
});
