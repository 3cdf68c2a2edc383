import { durationWithin } from '../config/duration.ts';
import { problemOf } from './option-values.ts';
import { CliError } from './output.ts';

const anyDuration = durationWithin('1ms', '36500d');

/** Parses a duration option; returns milliseconds. */
export function durationOf(text: string): number {
  const parsed = anyDuration.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliError('invalid_duration', { value: text, problem: problemOf(parsed) }, { exitCode: 2 });
}
