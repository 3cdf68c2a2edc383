import { expect, test } from 'vitest';
import { anomalies } from 'chat-formats/anomaly.ts';
import type { FinishReason, StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { ToolCallMeter } from './tool-call-meter.ts';

function sumsOf(...events: readonly StreamEvent[]) {
  const meter = new ToolCallMeter();
  for (const event of events) meter.measure(event);
  return meter.sums();
}

function call(number: number, ...pieces: readonly string[]): readonly StreamEvent[] {
  return [
    { type: 'tool-call-start', choice: 0, call: number, id: `c${number}`, name: 'f' },
    ...pieces.map((piece) => ({ type: 'tool-call-delta' as const, choice: 0, call: number, arguments: piece })),
  ];
}

function finish(reason: FinishReason): StreamEvent {
  return { type: 'finish', choice: 0, reason, raw: reason };
}

test('an answer without calls has no call sums', () => {
  expect(sumsOf({ type: 'text-delta', choice: 0, text: 'a' }, finish('stop'))).toBeUndefined();
});

test('each call counts as parsed, repaired or failed', () => {
  const events = [...call(0, '{"a":', '1}'), ...call(1, '{"a":1}'), ...call(2, '{"a":')];
  const repaired: StreamEvent = { type: 'anomaly', what: anomalies.repairedCall };
  expect(sumsOf(...events, repaired, finish('tool-calls'))).toEqual({ seen: 3, parsed: 1, repaired: 1, failed: 1 });
});

test('a call that was announced but not made counts as failed', () => {
  expect(sumsOf(finish('stop'), { type: 'anomaly', what: anomalies.announcedCall })).toEqual({
    seen: 1,
    parsed: 0,
    repaired: 0,
    failed: 1,
  });
});

test('an incomplete call of a truncated answer does not count', () => {
  const events = [...call(0, '{}'), ...call(1, '{"a":')];
  expect(sumsOf(...events, finish('length'))).toEqual({ seen: 1, parsed: 1, repaired: 0, failed: 0 });
  expect(sumsOf(...events)).toEqual({ seen: 1, parsed: 1, repaired: 0, failed: 0 });
});
