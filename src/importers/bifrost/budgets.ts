import type { LimitPeriod } from '../../core/limit.ts';
import { type AmountParts, lengthenedPeriod, moneyOf, oneOfEach } from '../amounts.ts';
import type { PlannedLimit } from '../plan.ts';
import { timeOf } from '../table-reader.ts';
import { textOf, type Values } from '../values.ts';
import type { BifrostSource } from './source.ts';

export interface OwnerParts extends AmountParts {
  readonly source: BifrostSource;
  readonly now: number;
}

/** The column of a budget that names its owner. */
export type OwnerColumn = 'team_id' | 'virtual_key_id' | 'customer_id';

const alignedPeriods: Readonly<Record<string, LimitPeriod>> = { '1d': 'day', '1w': 'week', '1M': 'month' };
const unitHours: Readonly<Record<string, number>> = {
  s: 1 / 3600,
  m: 1 / 60,
  h: 1,
  d: 24,
  w: 168,
  M: 720,
  Q: 2190,
  Y: 8760,
};
const hourMs = 3_600_000;

/** The limits of a team, a customer or a virtual key. */
export function limitsOf(owner: Values, column: OwnerColumn, parts: OwnerParts): readonly PlannedLimit[] {
  const id = textOf(owner['id']);
  const budgets = parts.source.budgets.filter((budget) => {
    const isOwned = id !== undefined && textOf(budget[column]) === id;
    return isOwned || (textOf(owner['budget_id']) !== undefined && textOf(budget['id']) === textOf(owner['budget_id']));
  });
  const isAligned = isTruth(owner['calendar_aligned']);
  return oneOfEach(budgets.flatMap((budget) => limitOf(budget, isAligned, parts)));
}

function limitOf(budget: Values, isAligned: boolean, parts: OwnerParts): readonly PlannedLimit[] {
  const { subject, findings, now } = parts;
  const base = moneyOf('max_limit', textOf(budget['max_limit']), parts);
  if (base === undefined) return [];
  const duration = textOf(budget['reset_duration']) ?? '';
  const [, count = '', unit = ''] = /^(\d+)([a-zA-Z])$/.exec(duration) ?? [];
  const hours = Number(count) * (unitHours[unit] ?? NaN);
  const period = alignedPeriods[duration] ?? lengthenedPeriod(duration, hours, parts);
  if (!isAligned && alignedPeriods[duration]) findings.add('window_moved', subject, { duration, period });
  const extra = overrideOf(budget, parts);
  const lastReset = timeOf(textOf(budget['last_reset']));
  const isOver = lastReset !== undefined && Number.isFinite(hours) && lastReset + hours * hourMs <= now;
  const spent = isOver ? 0n : (moneyOf('current_usage', textOf(budget['current_usage']), parts) ?? 0n);
  return [{ amount: base + extra, period, notifyAt: [], spent }];
}

/** A temporary or permanent increase of the limit. */
function overrideOf(budget: Values, parts: OwnerParts): bigint {
  const mode = textOf(budget['override_mode']);
  const cycles = Number(textOf(budget['override_cycles_remaining']) ?? '0');
  if (mode !== 'forever' && !(mode === 'cycles' && cycles > 0)) return 0n;
  const extra = moneyOf('override_amount', textOf(budget['override_amount']), parts) ?? 0n;
  if (mode === 'cycles') parts.findings.add('override_stays', parts.subject, { cycles });
  return extra;
}

export function isTruth(value: unknown): boolean {
  return value === true || value === 'true' || value === 't' || value === '1';
}

/** Limits of tokens and requests are not taken: the gateway queues requests. */
export function reportRates(owner: Values, { source, subject, findings }: OwnerParts): void {
  const id = textOf(owner['rate_limit_id']);
  const limit = id === undefined ? undefined : source.rateLimits.find((each) => textOf(each['id']) === id);
  if (!limit) return;
  const texts = ['token', 'request'].flatMap((unit) => {
    const max = textOf(limit[`${unit}_max_limit`]);
    return max === undefined ? [] : [`${max} ${unit}s per ${textOf(limit[`${unit}_reset_duration`]) ?? ''}`];
  });
  if (texts.length > 0) findings.add('request_rates', subject, { limits: texts.join(', ') });
}
