import { colors } from '../colors.ts';
import type { AttemptRecord } from '../../money/requests/attempt-record.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import { type Cell, table } from '../terminal/output.ts';
import { lengthText } from '../terminal/time-text.ts';

/** Renders the time of a request: a bar to scale for each wait, each attempt and the answer. */
export function requestTimeline(record: RequestRecord): string {
  const spans = spansOf(record);
  const totalMs = Math.max(record.durationMs, ...spans.map(({ toMs }) => toMs), 1);
  const rows = spans.map(({ label, fromMs, toMs, outcome, ...look }): Cell[] => [
    label,
    { text: bar(fromMs, toMs, totalMs, look.isQuiet), paint: look.paint },
    lengthText(toMs - fromMs).padStart(lengthColumns),
    outcome,
  ]);
  const scale = { text: `0${lengthText(totalMs).padStart(scaleColumns - 1)}`, paint: colors.dim };
  return table([], [...rows, ['', scale]], outcomeMax);
}

const scaleColumns = 40;
const lengthColumns = 10;
const outcomeMax = 200;

interface TimelineSpan {
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly paint: (text: string) => string;
  /** Nothing arrives in this time. The bar is lighter. */
  readonly isQuiet: boolean;
  readonly outcome: string;
}

function spansOf(record: RequestRecord): readonly TimelineSpan[] {
  const { attempts, durationMs, status } = record;
  const timedOut = queueTimeout(record);
  const waits = timedOut ? [timedOut] : [];
  if (attempts.length > 0) return [...attempts.flatMap(attemptSpans), ...waits];
  const outcome = `${status}, no provider was called`;
  const toMs = timedOut?.fromMs ?? durationMs;
  return [{ label: 'in the gateway', fromMs: 0, toMs, paint: colors.yellow, isQuiet: true, outcome }, ...waits];
}

/** The wait after the last attempt. Unknown if the list of attempts is truncated, because some waits are missing. */
function queueTimeout({
  attempts,
  attemptCount,
  waitMs = 0,
  queuePosition,
  durationMs,
}: RequestRecord): TimelineSpan | undefined {
  const timedOutMs =
    attempts.length === attemptCount ? attempts.reduce((left, attempt) => left - attempt.waitMs, waitMs) : 0;
  // Each wait was rounded, so a difference of up to 1 ms per attempt means nothing.
  if (timedOutMs <= attemptCount) return undefined;
  const ahead = attempts.length === 0 && queuePosition !== undefined ? `, ${queuePosition} ahead of it` : '';
  const fromMs = Math.max(durationMs - timedOutMs, 0);
  const outcome = `for a slot, timed out${ahead}`;
  return { label: 'queued', fromMs, toMs: durationMs, paint: colors.red, isQuiet: true, outcome };
}

function attemptSpans(attempt: AttemptRecord): readonly TimelineSpan[] {
  const { waitMs, pauseMs = 0, beganMs, firstEventMs, endedMs, upstream, model } = attempt;
  const spans: TimelineSpan[] = [];
  if (pauseMs > 0) {
    const toMs = Math.max(beganMs - waitMs, 0);
    const fromMs = Math.max(toMs - pauseMs, 0);
    const outcome = 'before the next attempt';
    spans.push({ label: 'back-off', fromMs, toMs, paint: colors.dim, isQuiet: true, outcome });
  }
  if (waitMs > 0) {
    const ahead = attempt.position === undefined ? '' : `, ${attempt.position} ahead of it`;
    const outcome = `for a slot at ${upstream}${ahead}`;
    const fromMs = Math.max(beganMs - waitMs, 0);
    spans.push({ label: 'queued', fromMs, toMs: beganMs, paint: colors.yellow, isQuiet: true, outcome });
  }
  const failed = failureText(attempt);
  const label = `${upstream} (${model})`;
  if (firstEventMs === undefined) {
    spans.push({ label, fromMs: beganMs, toMs: endedMs, paint: colors.red, isQuiet: true, outcome: failed });
    return spans;
  }
  const credential = attempt.credential === undefined ? '' : `, credential ${attempt.credential}`;
  const begun = `${attempt.status ?? 'responded'}${credential}, first byte ${lengthText(firstEventMs)} after the start`;
  spans.push({ label, fromMs: beganMs, toMs: firstEventMs, paint: colors.green, isQuiet: true, outcome: begun });
  const isBroken = attempt.errorCase !== undefined;
  const look = { paint: isBroken ? colors.red : colors.green, isQuiet: false };
  const outcome = isBroken ? `interrupted: ${failed}` : 'complete';
  const toMs = Math.max(endedMs, firstEventMs);
  return [...spans, { label: 'answer', fromMs: firstEventMs, toMs, ...look, outcome }];
}

function failureText({ status, errorCase, reason, credential }: AttemptRecord): string {
  const which = credential === undefined ? undefined : `credential ${credential}`;
  return [status === undefined ? 'no response' : String(status), which, errorCase, reason]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** At least one character wide, so that a short span is visible too. */
function bar(fromMs: number, toMs: number, totalMs: number, isQuiet: boolean): string {
  const column = (ms: number) => Math.round((Math.min(Math.max(ms, 0), totalMs) / totalMs) * scaleColumns);
  const start = Math.min(column(fromMs), scaleColumns - 1);
  const length = Math.max(column(toMs) - start, 1);
  return `${'·'.repeat(start)}${(isQuiet ? '░' : '█').repeat(length)}`.padEnd(scaleColumns, '·');
}
