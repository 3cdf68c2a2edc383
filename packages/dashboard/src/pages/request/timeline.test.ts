import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Times } from './detail.ts';
import { type TimelineInput, timelineOf } from './timeline.ts';

type Step = Pick<Times, 'wait_ms' | 'backoff_ms' | 'began_ms' | 'ended_ms' | 'first_event_ms'>;

function detail(times: Partial<Omit<TimelineInput, 'attempts'>>, attempts: readonly Step[]): TimelineInput {
  const defaults = { wait_ms: null, first_byte_ms: null, duration_ms: 1000, ...times };
  return {
    ...defaults,
    attempts: attempts.map((step, index) => ({ ...step, provider: `provider ${index + 1}`, position: null })),
  };
}

it('shows the wait for a slot of the key before the first attempt, but not a wait after the last one', () => {
  const step = { wait_ms: 50, backoff_ms: 0, began_ms: 400, ended_ms: 500, first_event_ms: 500 };
  expect(timelineOf(detail({ wait_ms: 350 }, [step]))?.rows[0]?.bars.slice(0, 3)).toEqual([
    { kind: 'inGateway', fromMs: 0, toMs: 50 },
    { kind: 'waiting', fromMs: 50, toMs: 350 },
    { kind: 'waiting', fromMs: 350, toMs: 400 },
  ]);
  const failed = { wait_ms: 0, backoff_ms: 0, began_ms: 5, ended_ms: 100, first_event_ms: null };
  expect(timelineOf(detail({ wait_ms: 300 }, [failed]))?.rows[0]?.bars).toEqual([
    { kind: 'inGateway', fromMs: 0, toMs: 5 },
    { kind: 'failedAttempt', fromMs: 5, toMs: 100 },
  ]);
});

it('shows a failed and an answering attempt, with the waits before both and the back-off between them', () => {
  const timeline = timelineOf(
    detail({ first_byte_ms: 420 }, [
      { wait_ms: 50, backoff_ms: 0, began_ms: 60, ended_ms: 200, first_event_ms: null },
      { wait_ms: 30, backoff_ms: 70, began_ms: 300, ended_ms: 410, first_event_ms: 410 },
    ]),
  );
  expect(timeline?.rows).toEqual([
    {
      provider: 'provider 1',
      bars: [
        { kind: 'inGateway', fromMs: 0, toMs: 10 },
        { kind: 'waiting', fromMs: 10, toMs: 60 },
        { kind: 'failedAttempt', fromMs: 60, toMs: 200 },
      ],
    },
    {
      provider: 'provider 2',
      bars: [
        { kind: 'backOff', fromMs: 200, toMs: 270 },
        { kind: 'waiting', fromMs: 270, toMs: 300 },
        { kind: 'waitingForFirstByte', fromMs: 300, toMs: 410 },
        { kind: 'streaming', fromMs: 410, toMs: 1000 },
      ],
    },
  ]);
  expect(timeline?.ticksMs).toEqual([0, 200, 400, 600, 800, 1000]);
});

it('shows a request that waited and was never sent', () => {
  expect(timelineOf(detail({ wait_ms: 900 }, []))?.rows).toEqual([
    {
      provider: undefined,
      bars: [
        { kind: 'waiting', fromMs: 0, toMs: 900 },
        { kind: 'inGateway', fromMs: 900, toMs: 1000 },
      ],
    },
  ]);
});

it('shows nothing for a request without a record', () => {
  expect(timelineOf(detail({ duration_ms: null }, []))).toBeUndefined();
});

it('keeps every bar and tick inside the chart, whatever times were recorded', () => {
  const ms = fc.nat(10_000_000);
  const step = fc.record({ wait_ms: ms, backoff_ms: ms, began_ms: ms, ended_ms: ms, first_event_ms: fc.option(ms) });
  fc.assert(
    fc.property(ms, fc.array(step, { maxLength: 4 }), (duration, attempts) => {
      const timeline = timelineOf(detail({ duration_ms: duration }, attempts));
      const spanMs = timeline?.spanMs ?? 0;
      for (const { fromMs, toMs } of timeline?.rows.flatMap(({ bars }) => bars) ?? []) {
        expect(fromMs).toBeGreaterThanOrEqual(0);
        expect(toMs).toBeGreaterThan(fromMs);
        expect(toMs).toBeLessThanOrEqual(spanMs);
      }
      expect(timeline?.ticksMs.length).toBeLessThanOrEqual(6);
      expect(timeline?.ticksMs.at(-1)).toBeLessThanOrEqual(spanMs);
    }),
  );
});
