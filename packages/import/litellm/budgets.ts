import { type AmountParts, lengthenedPeriod, moneyOf, oneOfEach } from '../amounts.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import type { PlannedLimit, PlannedPeriod } from '../plan.ts';
import { type Row, timeOf } from '../table-reader.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';
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

export interface BudgetParts extends AmountParts {
  readonly now: number;
  /** Finds the row of `LiteLLM_BudgetWindowSpend` of a window with this duration. */
  readonly windowOf?: (duration: string) => Row | undefined;
}

/** The limits of a budget, and the spend that counts in each. */
export function limitsOf(
  budget: Budget,
  spend: string | null | undefined,
  parts: BudgetParts,
): readonly PlannedLimit[] {
  return oneOfEach([...ownLimit(budget, spend, parts), ...windowLimits(budget, spend, parts)]);
}

/** The limit of `max_budget`. At the end of its period, LiteLLM sets `spend` to 0. */
export function ownLimit(
  { max, soft, duration, resetAt }: Budget,
  spend: string | null | undefined,
  parts: BudgetParts,
): readonly PlannedLimit[] {
  const amount = amountOf('max_budget', max, parts);
  if (amount === undefined) return [];
  const isOver = resetAt !== undefined && resetAt <= parts.now;
  const spent = isOver ? 0n : (moneyOf('spend', spend ?? undefined, parts) ?? 0n);
  return [{ amount, period: periodOf(duration, parts), notifyAt: notified(soft, amount, parts), spent }];
}

/** LiteLLM refuses everything with a budget below 0. */
function amountOf(field: string, text: string | undefined, parts: BudgetParts): bigint | undefined {
  return moneyOf(field, text?.startsWith('-') ? '0' : text, parts);
}

/** The limits of the windows in `budget_limits`, each with the spend of its own row. */
export function windowLimits(
  { windows }: Budget,
  spend: string | null | undefined,
  parts: BudgetParts,
): readonly PlannedLimit[] {
  const limits = listOf(jsonWithNumberTexts(windows ?? ''))
    .map(recordOf)
    .flatMap((window): PlannedLimit[] => {
      const amount = amountOf('budget_limits', textOf(window['max_budget']), parts);
      const duration = textOf(window['budget_duration']);
      if (amount === undefined) return [];
      const resetAt = timeOf(textOf(window['reset_at']));
      const spent = spentInWindow({ duration, resetAt }, spend, parts);
      return [{ amount, period: periodOf(duration, parts), notifyAt: [], spent }];
    });
  return oneOfEach(limits);
}

/**
 * LiteLLM keeps the spend of a window in a row that begins with the window. Without one it adds up its log; here the whole
 * spend counts, which is never too little.
 */
function spentInWindow(
  { duration = '', resetAt }: Pick<Budget, 'duration' | 'resetAt'>,
  spend: string | null | undefined,
  parts: BudgetParts,
): bigint {
  if (resetAt !== undefined && resetAt <= parts.now) return 0n;
  const row = parts.windowOf?.(duration);
  const since = (resetAt ?? parts.now) - hoursOf(duration) * 3_600_000;
  const start = timeOf(row?.['window_start']);
  if (row && start !== undefined && start >= since) return moneyOf('spend', row['spend'] ?? undefined, parts) ?? 0n;
  const all = moneyOf('spend', spend ?? undefined, parts) ?? 0n;
  if (all > 0n) parts.findings.add('window_spend_unknown', parts.subject, { duration, spent: decimalText(all) });
  return all;
}

/** Periods that LiteLLM begins at midnight, on Monday and on the first of a month, as the gateway does. */
const alignedPeriods: Readonly<Record<string, PlannedPeriod>> = {
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

const unitHours: Readonly<Record<string, number>> = { s: 1 / 3600, m: 1 / 60, h: 1, d: 24, w: 168, mo: 744, y: 8784 };
const periodHours: Readonly<Record<PlannedPeriod, number>> = { day: 24, week: 168, month: 744, total: Infinity };

function periodOf(duration: string | undefined, parts: AmountParts): PlannedPeriod {
  if (duration === undefined) return 'total';
  return alignedPeriods[duration] ?? lengthenedPeriod(duration, hoursOf(duration), parts);
}

/** The hours of a duration. `NaN` if it is unknown. */
function hoursOf(duration: string): number {
  const aligned = alignedPeriods[duration];
  if (aligned) return periodHours[aligned];
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d|w|mo|y)$/.exec(duration === 'hourly' ? '1h' : duration) ?? [];
  return Number(count) * (unitHours[unit] ?? NaN);
}

/** The soft budget as a share of the limit. */
function notified(soft: string | undefined, amount: bigint, parts: BudgetParts): readonly string[] {
  const threshold = moneyOf('soft_budget', soft, parts);
  if (threshold === undefined || threshold <= 0n || threshold >= amount) return [];
  const percent = (threshold * 100n) / amount;
  return percent === 0n ? [] : [`0.${percent.toString().padStart(2, '0')}`];
}
