import { z } from 'zod';
import { invalidField } from './sent-values.ts';
import { sentTime } from './wire.ts';
import { broken } from '../../core/reasons/reason.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Whole hours, grouped into points. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
}

const lengths = {
  hour: { intervalMs: hourMs, usualMs: dayMs, maxMs: 31 * dayMs, max: '31 days' },
  day: { intervalMs: dayMs, usualMs: 30 * dayMs, maxMs: 400 * dayMs, max: '400 days' },
} as const;

/** `since`, `until` and `interval` of an overview. */
export const spanQuery = {
  since: sentTime
    .optional()
    .describe('Its hour is the first one included. Default: 24 hours (`hour`) or 30 days (`day`) before `until`.'),
  until: sentTime.optional().describe('Its hour is the last one included. Default: now.'),
  interval: z.enum(['hour', 'day']).default('day').describe('Length of a point of the series.'),
};

type SpanParameters = z.output<z.ZodObject<typeof spanQuery>>;

/** Extends the span to whole hours. Throws if it is empty, or too long to look at. */
export function spanOf({ since, until, interval }: SpanParameters, now: number): TimeSpan {
  const { intervalMs, usualMs, maxMs, max } = lengths[interval];
  const to = Math.ceil((until ?? now) / hourMs) * hourMs;
  const from = Math.floor((since ?? to - usualMs) / hourMs) * hourMs;
  if (from >= to) throw invalidField('since', broken('not_before_end'), 'Send an earlier time.');
  if (to - from > maxMs) {
    const longer = interval === 'hour' ? ', or ask for `interval=day`' : '';
    throw invalidField('since', broken('span_too_long', { max }), `Send a later time${longer}.`);
  }
  return { from, to, intervalMs };
}

/** The start of every point. */
export function pointsOf({ from, to, intervalMs }: TimeSpan): readonly number[] {
  return Array.from({ length: Math.ceil((to - from) / intervalMs) }, (_, index) => from + index * intervalMs);
}
