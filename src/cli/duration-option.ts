import { durationWithin } from '../config/duration.ts';
import { CliError } from './output.ts';

const anyDuration = durationWithin('1ms', '36500d');

/** A length of time given to a command, in milliseconds. */
export function durationOf(text: string): number {
  const parsed = anyDuration.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliError(`${text} ${parsed.error.issues[0]?.message}.`, { exitCode: 2 });
}
