import { durationWithin } from '../config/duration.ts';
import { problemOf } from './option-values.ts';
import { CliError } from './output.ts';

const anyDuration = durationWithin('1ms', '36500d');

/** A length of time given to a command, in milliseconds. */
export function durationOf(text: string): number {
  const parsed = anyDuration.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliError('invalid_duration', { value: text, problem: problemOf(parsed) }, { exitCode: 2 });
}
