import { CliError } from './output.ts';
import { durationMs, durationWithin } from '../../platform/config/schema/values/duration.ts';
import { systemClock } from '../../core/time/clock.ts';

export function countOf(option: string, value: string, max: number): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new CliError('invalid_number', { option, value, min: 1, max }, { exitCode: 2 });
}

/** Returns text that is not a number unchanged: the schema has a better error message. */
export function numeric(value: string): number | string {
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}

const moment = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses a time option: an age (`30m`, `7d`), a day (`2026-11-01`, UTC) or a time (`2026-11-01T08:00Z`). */
export function timeOf(text: string, now: number): number {
  if (/^\d{1,9}(ms|s|m|h|d)$/.test(text)) return now - durationMs(text);
  const at = moment.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new CliError('invalid_time', { value: text }, { exitCode: 2 });
}

const anyDuration = durationWithin('1ms', '36500d');

/** Parses the duration until something expires; returns the time in ISO 8601. */
export function expiryOf(text: string): string {
  const parsed = anyDuration.safeParse(text);
  if (parsed.success) return new Date(systemClock.now() + parsed.data).toISOString();
  const problem = parsed.error.issues[0]?.message ?? 'is not valid';
  throw new CliError('invalid_duration', { value: text, problem }, { exitCode: 2 });
}
