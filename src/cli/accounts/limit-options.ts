import type { Command } from 'commander';
import { limitPeriods, type LimitText } from '../../core/limit.ts';
import { CliError } from '../terminal/output.ts';

/** The limits on spend as command options; `false` removes them. */
export interface LimitOptions {
  readonly limit?: readonly string[];
  readonly limits?: false;
}

const help = 'limit on spend, such as 100/month or 10/day@0.8, which notifies at 80 %; repeatable';

export function withLimits(command: Command): Command {
  return command.option('--limit <amount/period>', help, (value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

export function withoutLimits(command: Command): Command {
  return command.option('--no-limits', 'remove the limits on spend');
}

/** The limits to send. `undefined`: they stay unchanged. */
export function limitsOf({ limit, limits }: LimitOptions): readonly LimitText[] | undefined {
  if (limits === false) return [];
  return limit?.map(limitOf);
}

function limitOf(text: string): LimitText {
  const [, amount = '', period = '', shares] = /^([\d.]+)\/(\w+)(?:@([\d.,]+))?$/.exec(text) ?? [];
  const known = limitPeriods.find((each) => each === period);
  if (known === undefined) throw new CliError('invalid_limit', { value: text }, { exitCode: 2 });
  return { amount, period: known, ...(shares !== undefined && { notify_at: shares.split(',') }) };
}

export function limitCell(limits: readonly { readonly amount: string; readonly period: string }[]): string {
  return limits.map(({ amount, period }) => `${amount}/${period}`).join(', ');
}
