import type { LimitPeriod } from '../../core/limit.ts';
import type { Nano } from '../../core/money.ts';
import { type AmountParts, lengthenedPeriod, moneyOf, oneOfEach } from '../amounts.ts';
import type { PlannedLimit } from '../plan.ts';
import { type Row, timeOf } from '../table-reader.ts';
import { jsonWithNumberTexts } from '../../catalog/price-list/number-text.ts';
import { listOf, recordOf, textOf } from '../values.ts';

/** The columns of a budget. Teams, users, keys and shared budgets have them. */
export interface Budget {
  readonly max: string | undefined;
  readonly soft: string | undefined;
  readonly duration: string | undefined;
  readonly resetAt: number | undefined;
  /** JSON: several windows. */
  readonly windows: string | undefined;
}

export function budgetOf(row: Row): Budget {
  return {
    max: row['max_budget'] ?? undefined,
    soft: row['soft_budget'] ?? undefined,
    duration: row['budget_duration'] ?? undefined,
    resetAt: timeOf(row['budget_reset_at']),
    windows: row['budget_limits'] ?? undefined,
  };
}

interface BudgetParts extends AmountParts {
  readonly now: number;
}

/** The limits of a budget, and the spend that counts in each. */
export function limitsOf(
  budget: Budget,
  spend: string | null | undefined,
  parts: BudgetParts,
): readonly PlannedLimit[] {
  const windows = listOf(jsonWithNumberTexts(budget.windows ?? '')).map(recordOf);
  const all = [
    { max: budget.max, soft: budget.soft, duration: budget.duration, resetAt: budget.resetAt },
    ...windows.map((window) => ({
      max: textOf(window['max_budget']),
      soft: undefined,
      duration: textOf(window['budget_duration']),
      resetAt: timeOf(textOf(window['reset_at'])),
    })),
  ];
  const limits = all.flatMap(({ max, soft, duration, resetAt }): PlannedLimit[] => {
    const amount = moneyOf('max_budget', max, parts);
    if (amount === undefined) return [];
    const isOver = resetAt !== undefined && resetAt <= parts.now;
    const spent = isOver ? 0n : (moneyOf('spend', spend ?? undefined, parts) ?? 0n);
    return [{ amount, period: periodOf(duration, parts), notifyAt: notified(soft, amount, parts), spent }];
  });
  return oneOfEach(limits);
}

/** Periods that LiteLLM begins at midnight, on Monday and on the first of a month, as the gateway does. */
const alignedPeriods: Readonly<Record<string, LimitPeriod>> = {
  '1d': 'day',
  '24h': 'day',
  daily: 'day',
  '7d': 'week',
  '1w': 'week',
  weekly: 'week',
  '30d': 'month',
  '1mo': 'month',
  monthly: 'month',
};

const unitHours: Readonly<Record<string, number>> = { s: 1 / 3600, m: 1 / 60, h: 1, d: 24, w: 168, mo: 720, y: 8760 };

function periodOf(duration: string | undefined, parts: AmountParts): LimitPeriod {
  if (duration === undefined) return 'total';
  const aligned = alignedPeriods[duration];
  if (aligned) return aligned;
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d|w|mo|y)$/.exec(duration === 'hourly' ? '1h' : duration) ?? [];
  return lengthenedPeriod(duration, Number(count) * (unitHours[unit] ?? NaN), parts);
}

/** The soft budget as a share of the limit. */
function notified(soft: string | undefined, amount: Nano, parts: BudgetParts): readonly string[] {
  const threshold = moneyOf('soft_budget', soft, parts);
  if (threshold === undefined || threshold <= 0n || threshold >= amount) return [];
  const percent = (threshold * 100n) / amount;
  return percent === 0n ? [] : [`0.${percent.toString().padStart(2, '0')}`];
}
