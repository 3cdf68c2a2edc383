import { expect, test } from 'vitest';
import { chatRequest } from '../../test/ask-upstream.ts';
import { HandFlow, KeepingSink, textDelta } from '../../test/flows.ts';
import type { Hold } from '../billing/hold.ts';
import { priceOf } from '../config/model-price.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import { Bill } from './bill.ts';
import { Meter } from './meter.ts';
import { UsageMeter } from './usage-meter.ts';

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
  const tally = new UsageMeter(request, countTokens);
  const bill = new Bill({
    tally,
    price: priceOf({ input: '1', output: '1' }),
    hold,
    maxUsage: { promptTokens: 1000, outputTokens: 1000, toolUses: [] },
    isGivenUp: () => false,
  });
  const source = new HandFlow();
  const sink = new KeepingSink();
  const meter = new Meter(source, bill, () => {});
  meter.start(sink);
  return { source, sink, meter, posted, isVoid: () => isVoid, makeDurable: () => durable() };
}

test('the end waits until the charge is durable, and leaves together with the last batch', async () => {
  const { source, sink, posted, makeDurable } = fixture();
  source.sink?.events([textDelta('one')]);
  source.sink?.events([textDelta(' two'), finish, used]);
  source.sink?.end();
  await turn();
  expect(posted).toEqual([12n * 1000n]);
  expect([sink.batches, sink.endings]).toEqual([[[textDelta('one')]], []]);
  makeDurable();
  await turn();
  expect(sink.batches.at(-1)).toEqual([textDelta(' two'), finish, used]);
  expect(sink.endings).toEqual(['end']);
});

test('an answer that breaks off is charged once, for the part received', async () => {
  const { source, sink, posted, meter } = fixture();
  source.sink?.events([textDelta('four')]);
  source.sink?.fail(new Error('cut'));
  meter.cancel();
  await turn();
  expect(posted).toHaveLength(1);
  expect(sink.endings).toEqual([{ error: new Error('cut') }]);
});

test('events before a failure after the finish are still sent', async () => {
  const { source, sink } = fixture();
  source.sink?.events([textDelta('all'), finish]);
  source.sink?.fail(new Error('cut'));
  await turn();
  expect(sink.batches.flat()).toEqual([textDelta('all'), finish]);
});

test('an empty answer costs nothing', async () => {
  const { source, posted, isVoid } = fixture();
  source.sink?.fail(new Error('cut'));
  await turn();
  expect([posted, isVoid()]).toEqual([[], true]);
});
