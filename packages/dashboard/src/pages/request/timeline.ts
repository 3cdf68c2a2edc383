import { type NamedTarget, providerOf, type Detail, type Times } from './detail.ts';

export type BarKind = 'waiting' | 'backOff' | 'waitingForFirstByte' | 'streaming' | 'failedAttempt' | 'inGateway';

/** A time span, in milliseconds since the request arrived. */
export interface Bar {
  readonly kind: BarKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimelineRow {
  /** The provider of the attempt. Undefined for time in the gateway, if there was no attempt. */
  readonly provider: string | undefined;
  readonly bars: readonly Bar[];
}

export interface Timeline {
  readonly spanMs: number;
  readonly rows: readonly TimelineRow[];
  readonly firstByteMs: number | null;
  readonly ticksMs: readonly number[];
}

/** The fields of a request that the timeline needs. */
export interface TimelineInput extends Pick<Detail, 'wait_ms' | 'first_byte_ms' | 'duration_ms'> {
  readonly attempts: readonly (Times & NamedTarget)[];
}

/** The timeline of a request, one row per attempt. Undefined if its duration is unknown. */
export function timelineOf(detail: TimelineInput): Timeline | undefined {
  const { duration_ms: durationMs, first_byte_ms: firstByteMs, wait_ms: waitMs } = detail;
  if (durationMs === null) return undefined;
  const spanMs = Math.max(durationMs, firstByteMs ?? 0, ...detail.attempts.map(({ ended_ms }) => ended_ms), 1);
  const within = (bars: readonly Bar[]): readonly Bar[] =>
    bars
      .map(({ kind, fromMs, toMs }) => ({ kind, fromMs: Math.max(0, fromMs), toMs: Math.min(spanMs, toMs) }))
      .filter(({ fromMs, toMs }) => toMs > fromMs);
  const rows = detail.attempts.map((step, index) => ({
    provider: providerOf(step),
    bars: within([...(index === 0 ? startBars(detail, step) : []), ...barsOf(step, spanMs)]),
  }));
  const gatewayBars: readonly Bar[] = [
    { kind: 'waiting', fromMs: 0, toMs: waitMs ?? 0 },
    { kind: 'inGateway', fromMs: waitMs ?? 0, toMs: spanMs },
  ];
  return {
    spanMs,
    rows: rows.length > 0 ? rows : [{ provider: undefined, bars: within(gatewayBars) }],
    firstByteMs,
    ticksMs: ticksOf(spanMs),
  };
}

/** Before the first attempt: the gateway reads the request, and may wait for a concurrency slot of the key. */
function startBars({ wait_ms: waitMs, attempts }: TimelineInput, first: Times): readonly Bar[] {
  const toMs = first.began_ms - first.wait_ms - first.backoff_ms;
  const left = attempts.reduce((sum, step) => sum - step.wait_ms, waitMs ?? 0);
  // A longer wait came after the last attempt and ended without a slot.
  const keyWaitMs = left > 0 && left <= toMs ? left : 0;
  return [
    { kind: 'inGateway', fromMs: 0, toMs: toMs - keyWaitMs },
    { kind: 'waiting', fromMs: toMs - keyWaitMs, toMs },
  ];
}

function barsOf(step: Times, spanMs: number): readonly Bar[] {
  const { began_ms: beganMs, ended_ms: endedMs, first_event_ms: firstEventMs } = step;
  const waitedFromMs = beganMs - step.wait_ms;
  const before: readonly Bar[] = [
    { kind: 'backOff', fromMs: waitedFromMs - step.backoff_ms, toMs: waitedFromMs },
    { kind: 'waiting', fromMs: waitedFromMs, toMs: beganMs },
  ];
  if (firstEventMs === null) return [...before, { kind: 'failedAttempt', fromMs: beganMs, toMs: endedMs }];
  return [
    ...before,
    { kind: 'waitingForFirstByte', fromMs: beganMs, toMs: firstEventMs },
    // The record of an attempt ends when its answer begins. The answer then takes the rest of the request.
    { kind: 'streaming', fromMs: firstEventMs, toMs: spanMs },
  ];
}

const ticksMax = 5;

/** Round times for the axis. */
function ticksOf(spanMs: number): readonly number[] {
  const rough = spanMs / ticksMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  const stepMs = Math.max(1, power * ([1, 2, 5].find((each) => power * each >= rough) ?? 10));
  return Array.from({ length: Math.floor(spanMs / stepMs) + 1 }, (_, index) => index * stepMs);
}
