import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gate } from '../../../../test/fakes/fake-replies.ts';
import { CollectingSink, ScriptFlow, spoken, textDelta } from '../../../../test/fakes/flows.ts';
import { modelOf, nothingLeft, type Script, scriptedUpstreams } from '../../../../test/fakes/scripted-upstreams.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const words = ['one ', 'two ', 'three ', 'four'];
const failure = new GatewayError('upstream-failed', { cause: new Error('died') });
const continued = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }], { continue: 'prefill' });

function usage(promptTokens: number, completionTokens: number, more: Partial<Usage> = {}): StreamEvent {
  const unsaid = { cachedTokens: undefined, cacheWrite5mTokens: undefined, cacheWrite1hTokens: undefined };
  const audio = { promptAudioTokens: undefined, promptImageTokens: undefined, completionAudioTokens: undefined };
  const reported = { promptTokens, completionTokens, reasoningTokens: undefined, source: 'upstream' as const };
  return { type: 'usage', usage: { ...unsaid, ...audio, ...reported, ...more } };
}

/** Sends the words after the prefill, and counts tokens as providers do. */
const continues: Script = ({ prefill = '' }) => {
  const done = prefill.split(' ').filter((word) => word !== '').length;
  const rest = words.slice(done);
  return new ScriptFlow([...rest.map((word) => [textDelta(word)]), [finish, usage(10 + done, rest.length)]], 'end');
};
const breaksOff = (...batches: StreamEvent[][]): Script => {
  return () => new ScriptFlow(batches, { error: failure });
};

async function listen(upstreams: ReturnType<typeof scriptedUpstreams>, model = continued, more = {}) {
  const sink = new CollectingSink();
  const { flow } = await upstreams.open(model, more);
  flow.start(sink);
  await vi.advanceTimersByTimeAsync(1000);
  const events = sink.batches.flat();
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  const reported = events.filter((event) => event.type === 'usage').at(-1)?.usage;
  return { flow, sink, events, text, reported, endings: sink.endings };
}

test.each([1, 2, 3, 4])('a reader sees a complete answer if it breaks off after %i pieces', async (pieces) => {
  const upstreams = scriptedUpstreams({
    a: { script: breaksOff(...words.slice(0, pieces).map((word) => [textDelta(word)])) },
    b: { script: continues },
  });
  const result = await listen(upstreams, continued, { maxTokens: 100 });
  expect(result.text).toBe(words.join(''));
  expect(result.endings).toEqual(['end']);
  expect(result.events.filter(({ type }) => type === 'finish')).toEqual([finish]);
  expect(result.reported).toMatchObject({ promptTokens: 10, completionTokens: 4, source: 'counted' });
  expect(upstreams.calls[1]).toMatchObject({
    upstream: 'b',
    call: { prefill: words.slice(0, pieces).join(''), request: { maxTokens: 100 - pieces } },
  });
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a continuation that breaks off is continued in turn, twice at most', async () => {
  const alwaysBreaksOff: Script = ({ prefill = '' }) =>
    new ScriptFlow([[textDelta(prefill === '' ? 'one ' : 'two ')]], { error: failure });
  const recovering = scriptedUpstreams({
    a: { script: breaksOff([textDelta('one ')]) },
    b: { script: (call, index) => (index === 0 ? alwaysBreaksOff(call, 0) : continues(call, 1)) },
  });
  const result = await listen(recovering);
  expect(result.text).toBe(words.join(''));
  expect(result.reported).toMatchObject({ promptTokens: 10, completionTokens: 4 });
  const hopeless = scriptedUpstreams({
    a: { script: breaksOff([textDelta('x ')]) },
    b: { script: breaksOff([textDelta('x ')]) },
  });
  const failed = await listen(hopeless);
  expect(failed.endings).toEqual([{ error: failure }]);
  expect(hopeless.calls).toHaveLength(3);
  expect(hopeless.leftovers()).toEqual(nothingLeft);
});

test('if there is no other upstream, the same one continues the answer', async () => {
  const script: Script = (call, index) => (index === 0 ? breaksOff([textDelta('one ')])(call, 0) : continues(call, 1));
  const upstreams = scriptedUpstreams({ a: { script } });
  const result = await listen(upstreams, modelOf([{ upstream: 'a' }], { continue: 'prefill' }));
  expect(result.text).toBe(words.join(''));
});

test.each<readonly [string, StreamEvent[], object]>([
  ['that has reasoned', [{ type: 'reasoning-delta', choice: 0, text: 'hm' }, textDelta('one ')], {}],
  ['that calls a tool', [textDelta('one '), { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'f' }], {}],
  ['that has finished', [textDelta('one '), finish], {}],
  ['of several choices', [textDelta('one ')], { choices: 2 }],
  ['with log probabilities', [textDelta('one ')], { logprobs: true }],
])('an answer %s is not continued', async (_what, batch, more) => {
  const upstreams = scriptedUpstreams({ a: { script: breaksOff(batch) }, b: { script: continues } });
  const result = await listen(upstreams, continued, more);
  expect(result.endings).toEqual([{ error: failure }]);
  expect(upstreams.calls).toHaveLength(1);
});

test('an answer of a model without `continue` is not continued', async () => {
  const upstreams = scriptedUpstreams({ a: { script: breaksOff([textDelta('one ')]) }, b: { script: continues } });
  const result = await listen(upstreams, { ...continued, continue: 'never' });
  expect(result.endings).toEqual([{ error: failure }]);
});

test('if no upstream can continue, the reader sees the first failure', async () => {
  const refusing: Script = () => {
    throw new GatewayError('upstream-rejected');
  };
  const upstreams = scriptedUpstreams({ a: { script: breaksOff([textDelta('one ')]) }, b: { script: refusing } });
  expect((await listen(upstreams)).endings).toEqual([{ error: failure }]);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('usage reported before the failure counts, and the usage of the continuation is added', async () => {
  const reporting = breaksOff([textDelta('one '), usage(7, 3)]);
  const reported = await listen(scriptedUpstreams({ a: { script: reporting }, b: { script: continues } }));
  expect(reported.reported).toMatchObject({ promptTokens: 7, completionTokens: 3 + 3 });
  const unreported = await listen(
    scriptedUpstreams({ a: { script: reporting }, b: { script: () => spoken('two ', 'three') } }),
  );
  expect(unreported.reported).toMatchObject({ promptTokens: 7, completionTokens: 3 + 3, source: 'counted' });
});

/** A second upstream that answers when the test opens the gate. */
function slowToAnswer() {
  const { opened, open } = gate();
  const legs: ScriptFlow[] = [];
  const script: Script = async () => {
    await opened;
    const flow = new ScriptFlow([[textDelta('two ')], [textDelta('three ')]], 'hang');
    legs.push(flow);
    return flow;
  };
  return { upstreams: scriptedUpstreams({ a: { script: breaksOff([textDelta('one ')]) }, b: { script } }), legs, open };
}

test('a reader that cancels during the failover receives nothing more, and the new stream is closed', async () => {
  const { upstreams, legs, open } = slowToAnswer();
  const sink = new CollectingSink();
  const { flow } = await upstreams.open(continued);
  flow.start(sink);
  await vi.advanceTimersByTimeAsync(1000);
  expect(upstreams.calls).toHaveLength(2);
  flow.cancel();
  open();
  await vi.advanceTimersByTimeAsync(1000);
  expect(legs[0]?.isCancelled).toBe(true);
  expect([sink.batches.flat(), sink.endings]).toEqual([[textDelta('one ')], []]);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('if a reader pauses during the failover, the new stream is paused', async () => {
  const { upstreams, legs, open } = slowToAnswer();
  const { flow } = await upstreams.open(continued);
  flow.start(new CollectingSink());
  await vi.advanceTimersByTimeAsync(1000);
  flow.pause();
  open();
  await vi.advanceTimersByTimeAsync(1000);
  expect(legs[0]?.isPaused).toBe(true);
  flow.resume();
  expect(legs[0]?.isPaused).toBe(false);
  flow.cancel();
});
