import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { unreportedUsage } from '../chat/usage.ts';
import { usageWaitMs } from '../chat/usage-wait.ts';
import { CuttingGate } from './cutting-gate.ts';

const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const anomaly: StreamEvent = { type: 'anomaly', what: 'odd' };

function opened(stop: readonly string[], choices = 1) {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  new CuttingGate(provider, { stop, choices }).start(client);
  const emit = (...batch: StreamEvent[]): void => provider.sink?.events(batch);
  return { provider, client, emit };
}

function said(client: CollectingSink, choice = 0): string {
  const texts = client.batches.flat().filter((event) => event.type === 'text-delta' && event.choice === choice);
  return texts.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

test('an answer ends before its stop sequence, which the finish names, and the provider is cancelled', () => {
  const { provider, client, emit } = opened(['END']);
  emit(textDelta('one E'));
  emit(textDelta('N'));
  emit(textDelta('D two'), finish, anomaly);
  expect(client.batches.flat()).toEqual([textDelta('one '), { ...finish, stopSequence: 'END' }]);
  expect([client.endings, provider.isCancelled]).toEqual([['end'], true]);
});

test('held text that is not a stop sequence is released before the next event, at the end and before a failure', () => {
  const reasoning: StreamEvent = { type: 'reasoning-delta', choice: 0, text: 'D' };
  const call: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'EN' };
  const { client, emit, provider } = opened(['END']);
  emit(textDelta('E'), textDelta('N'), reasoning);
  emit(textDelta('EN'), call, { type: 'tool-call-delta', choice: 0, call: 0, arguments: 'END' });
  emit(textDelta('E'));
  provider.sink?.end();
  expect(said(client)).toBe('ENENE');
  expect(client.batches.flat().map(({ type }) => type)).toEqual([
    'text-delta',
    'text-delta',
    'reasoning-delta',
    'text-delta',
    'tool-call-start',
    'tool-call-delta',
    'text-delta',
  ]);
  const failing = opened(['END']);
  failing.emit(textDelta('E'));
  const error = new Error('gone');
  failing.provider.sink?.fail(error);
  expect([said(failing.client), failing.client.endings]).toEqual(['E', [{ error }]]);
});

test('each of several choices ends separately, and the provider is cancelled after the last one', () => {
  const { provider, client, emit } = opened(['.'], 2);
  emit(textDelta('a.b', 0), textDelta('c', 1));
  expect(provider.isCancelled).toBe(false);
  emit(textDelta('d', 0), { ...finish, choice: 0 }, textDelta('e.f', 1), textDelta('g', 1));
  expect([said(client, 0), said(client, 1), provider.isCancelled]).toEqual(['a', 'ce', true]);
  expect(client.batches.flat().filter(({ type }) => type === 'finish')).toHaveLength(2);
});

test('the logprob record of a token stays with its first character', () => {
  const odds = (token: string) => ({ token, logprob: -1, bytes: null, alternatives: undefined });
  const { client, emit } = opened(['bc']);
  emit({ type: 'text-delta', choice: 0, text: 'aab', logprobs: [odds('a'), odds('ab')] });
  emit({ type: 'text-delta', choice: 0, text: 'c', logprobs: [odds('c')] });
  expect(client.batches.flat().slice(0, -1)).toEqual([
    { type: 'text-delta', choice: 0, text: 'aa', logprobs: [odds('a'), odds('ab')] },
  ]);
});

test('an answer in any events and batches gives the same result', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(fc.array(piece), { maxLength: 5 }),
      fc.array(piece.filter(Boolean), { minLength: 1, maxLength: 3 }),
      (batches, stop) => {
        const inPieces = opened(stop);
        for (const batch of batches) inPieces.emit(...batch.map((text) => textDelta(text)));
        const atOnce = opened(stop);
        atOnce.emit(textDelta(batches.flat().join('')));
        for (const { provider } of [inPieces, atOnce]) if (!provider.isCancelled) provider.sink?.end();
        expect(said(inPieces.client)).toBe(said(atOnce.client));
        expect(inPieces.provider.isCancelled).toBe(atOnce.provider.isCancelled);
        expect(inPieces.client.endings).toEqual(['end']);
        expect(stop.every((each) => !said(inPieces.client).includes(each))).toBe(true);
      },
    ),
  );
});

describe('the usage of an answer that was cut off', () => {
  const usage: StreamEvent = {
    type: 'usage',
    usage: { ...unreportedUsage, promptTokens: 24, completionTokens: 3, source: 'upstream' },
  };
  const stopped = { ...finish, stopSequence: 'END' };

  function waiting() {
    const clock = manualClock();
    const provider = new ManualFlow();
    const client = new CollectingSink();
    const gate = new CuttingGate(provider, { stop: ['END'], choices: 1, clock });
    gate.start(client);
    const emit = (...batch: StreamEvent[]): void => provider.sink?.events(batch);
    return { clock, provider, client, gate, emit };
  }

  test('is taken from the batch that caused the cut', () => {
    const { clock, provider, client, emit } = waiting();
    emit(textDelta('one END two'), finish, usage, anomaly);
    expect(client.batches).toEqual([[textDelta('one '), stopped, usage]]);
    expect([client.endings, provider.isCancelled, clock.pending]).toEqual([['end'], true, 0]);
  });

  test('is waited for after the client received all text, without pausing the provider', () => {
    const { clock, provider, client, gate, emit } = waiting();
    gate.pause();
    emit(textDelta('one END two'));
    gate.pause();
    expect([client.batches, client.endings]).toEqual([[[textDelta('one ')]], []]);
    expect([provider.isPaused, provider.isCancelled]).toEqual([false, false]);
    clock.advance(usageWaitMs - 1);
    emit(textDelta(' three'));
    emit(finish, usage);
    expect(client.batches.slice(1)).toEqual([[stopped, usage]]);
    expect([client.endings, provider.isCancelled, clock.pending]).toEqual([['end'], true, 0]);
    emit(anomaly);
    provider.sink?.end();
    expect([client.batches.length, client.endings]).toEqual([2, ['end']]);
  });

  test.each([
    ['does not come in time', ({ clock }) => clock.advance(usageWaitMs)],
    ['is not sent at the end', ({ provider }) => provider.sink?.end()],
    ['is lost with the provider', ({ provider }) => provider.sink?.fail(new Error('gone'))],
    [
      'would come after much more text',
      ({ emit }) => emit(...Array.from({ length: 300 }, () => textDelta('x')), usage),
    ],
  ] satisfies [string, (about: ReturnType<typeof waiting>) => void][])('is missing if it %s', (_, happens) => {
    const about = waiting();
    about.emit(textDelta('one END two'));
    happens(about);
    const { client, provider, clock } = about;
    expect(client.batches.flat()).toEqual([textDelta('one '), stopped]);
    expect([client.endings, provider.isCancelled, clock.pending]).toEqual([['end'], true, 0]);
  });

  test('is not waited for when the client disconnects', () => {
    const { clock, provider, client, gate, emit } = waiting();
    emit(textDelta('one END two'));
    gate.cancel();
    expect([client.endings, provider.isCancelled, clock.pending]).toEqual([[], true, 0]);
  });
});
