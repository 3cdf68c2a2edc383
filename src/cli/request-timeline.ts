import colors from 'picocolors';
import type { AttemptRecord } from '../requests/attempt-record.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type Cell, table } from './output.ts';
import { lengthText } from './time-text.ts';

/** Where a request's time went: a bar to scale for each wait, each attempt and the answer itself. */
export function requestTimeline(record: RequestRecord): string {
  const spans = spansOf(record);
  const totalMs = Math.max(record.durationMs, ...spans.map(({ toMs }) => toMs), 1);
  const rows = spans.map(({ what, fromMs, toMs, outcome, ...look }): Cell[] => [
    what,
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
  readonly what: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly paint: (text: string) => string;
  /** Nothing is arriving. */
  readonly isQuiet: boolean;
  readonly outcome: string;
}

function spansOf(record: RequestRecord): readonly TimelineSpan[] {
  const { attempts, durationMs, status } = record;
  const vain = queueTimeout(record);
  const waits = vain ? [vain] : [];
  if (attempts.length > 0) return [...attempts.flatMap(attemptSpans), ...waits];
  const outcome = `${status}, no provider was asked`;
  const toMs = vain?.fromMs ?? durationMs;
  return [{ what: 'in the gateway', fromMs: 0, toMs, paint: colors.yellow, isQuiet: true, outcome }, ...waits];
}

/** A wait that no attempt followed. If the list of attempts was shortened, the missing waits are unknown. */
function queueTimeout({
  attempts,
  attemptCount,
  waitMs = 0,
  queuePosition,
  durationMs,
}: RequestRecord): TimelineSpan | undefined {
  const timedOutMs =
    attempts.length === attemptCount ? attempts.reduce((left, attempt) => left - attempt.waitMs, waitMs) : 0;
  // The parts of the whole were rounded each.
  if (timedOutMs <= attemptCount) return undefined;
  const place = attempts.length === 0 && queuePosition !== undefined ? `, ${queuePosition} before it` : '';
  const fromMs = Math.max(durationMs - timedOutMs, 0);
  const outcome = `for a place, in vain${place}`;
  return { what: 'waiting', fromMs, toMs: durationMs, paint: colors.red, isQuiet: true, outcome };
}

function attemptSpans(attempt: AttemptRecord): readonly TimelineSpan[] {
  const { waitMs, pauseMs = 0, beganMs, firstEventMs, endedMs, upstream, model } = attempt;
  const spans: TimelineSpan[] = [];
  if (pauseMs > 0) {
    const toMs = Math.max(beganMs - waitMs, 0);
    const fromMs = Math.max(toMs - pauseMs, 0);
    spans.push({
      what: 'pausing',
      fromMs,
      toMs,
      paint: colors.dim,
      isQuiet: true,
      outcome: 'before it was tried again',
    });
  }
  if (waitMs > 0) {
    const place = attempt.position === undefined ? '' : `, ${attempt.position} before it`;
    const outcome = `for a place at ${upstream}${place}`;
    const fromMs = Math.max(beganMs - waitMs, 0);
    spans.push({ what: 'waiting', fromMs, toMs: beganMs, paint: colors.yellow, isQuiet: true, outcome });
  }
  const failed = failureText(attempt);
  const what = `${upstream} (${model})`;
  if (firstEventMs === undefined) {
    spans.push({ what, fromMs: beganMs, toMs: endedMs, paint: colors.red, isQuiet: true, outcome: failed });
    return spans;
  }
  const credential = attempt.credential === undefined ? '' : `, credential ${attempt.credential}`;
  const begun = `${attempt.status ?? 'answered'}${credential}, first byte ${lengthText(firstEventMs)} after the start`;
  spans.push({ what, fromMs: beganMs, toMs: firstEventMs, paint: colors.green, isQuiet: true, outcome: begun });
  const isBroken = attempt.errorCase !== undefined;
  const paint = isBroken ? colors.red : colors.green;
  const outcome = isBroken ? `broke off: ${failed}` : 'to the end';
  spans.push({
    what: 'answer',
    fromMs: firstEventMs,
    toMs: Math.max(endedMs, firstEventMs),
    paint,
    isQuiet: false,
    outcome,
  });
  return spans;
}

function failureText({ status, errorCase, reason, credential }: AttemptRecord): string {
  const which = credential === undefined ? undefined : `credential ${credential}`;
  return [status === undefined ? 'no answer' : String(status), which, errorCase, reason]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** At least one mark, so that what was quick is seen too. */
function bar(fromMs: number, toMs: number, totalMs: number, isQuiet: boolean): string {
  const column = (ms: number) => Math.round((Math.min(Math.max(ms, 0), totalMs) / totalMs) * scaleColumns);
  const start = Math.min(column(fromMs), scaleColumns - 1);
  const length = Math.max(column(toMs) - start, 1);
  return `${'·'.repeat(start)}${(isQuiet ? '░' : '█').repeat(length)}`.padEnd(scaleColumns, '·');
}
