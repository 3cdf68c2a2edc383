import { type AmountParts, lengthenedPeriod, moneyOf } from '../amounts.ts';
import type { PlannedLimit, PlannedPeriod } from '../plan.ts';
import { timeOf } from '../table-reader.ts';
import type { TargetGateway } from '../target.ts';
import { textOf, type Values } from '../values.ts';

export interface BudgetParts extends AmountParts {
  readonly now: number;
  readonly target: TargetGateway;
}

/** The limits that budgets become, the smallest of each period, and texts of the budgets that cannot become one. */
export interface BudgetLimits {
  readonly limits: readonly PlannedLimit[];
  readonly problems: readonly string[];
}

const alignedPeriods: Readonly<Record<string, PlannedPeriod>> = { d: 'day', w: 'week', M: 'month' };
const unitHours: Readonly<Record<string, number>> = {
  s: 1 / 3600,
  m: 1 / 60,
  h: 1,
  d: 24,
  w: 168,
  M: 720,
  Q: 2160,
  Y: 8760,
};
const hourMs = 3_600_000;

export function limitsOf(budgets: readonly Values[], isAligned: boolean, parts: BudgetParts): BudgetLimits {
  const limits: PlannedLimit[] = [];
  const problems: string[] = [];
  for (const budget of budgets) {
    const limit = limitOf(budget, isAligned, parts);
    if (limit) limits.push(limit);
    else problems.push(budgetText(budget));
  }
  return { limits: strictest(limits), problems };
}

/** `5 per 1d`, for findings. */
export function budgetText(budget: Values): string {
  return `${textOf(budget['max_limit']) ?? ''} per ${textOf(budget['reset_duration']) ?? ''}`;
}

/** The smallest amount of each period, with the most spend that one of its budgets has counted. */
function strictest(limits: readonly PlannedLimit[]): readonly PlannedLimit[] {
  return [...Map.groupBy(limits, ({ period }) => period).values()].map((same) =>
    same.reduce((one, other) => ({
      ...(other.amount < one.amount ? other : one),
      spent: other.spent > one.spent ? other.spent : one.spent,
    })),
  );
}

/** `undefined`: its amounts cannot be read, or it allows nothing. */
function limitOf(budget: Values, isAligned: boolean, parts: BudgetParts): PlannedLimit | undefined {
  const { subject, findings } = parts;
  const base = moneyOf('max_limit', textOf(budget['max_limit']), parts);
  const used = moneyOf('current_usage', textOf(budget['current_usage']) ?? '0', parts);
  if (base === undefined || base === 0n || used === undefined) return undefined;
  const duration = textOf(budget['reset_duration']) ?? '';
  const [, count = '', unit = ''] = /^(\d+)([a-zA-Z])$/.exec(duration) ?? [];
  const hours = Number(count) * (unitHours[unit] ?? NaN);
  const isCalendar = isAligned && 'dwMQY'.includes(unit) && unit !== '';
  const known = isCalendar || count === '1' ? alignedPeriods[unit] : undefined;
  const period = known ?? lengthenedPeriod(duration, isCalendar ? NaN : hours, parts);
  if (known && !isCalendar) findings.add('window_moved', subject, { duration, period });
  const isOver = isCalendar ? calendarIsOver(budget, period, parts) : windowIsOver(budget, hours, parts);
  const amount = base + permanentIncrease(budget, parts);
  return { amount, period, notifyAt: [], spent: isOver ? 0n : used };
}

/** A quarter or a year becomes a total, which is never over. */
function calendarIsOver(budget: Values, period: PlannedPeriod, { now, target }: BudgetParts): boolean {
  const lastReset = timeOf(textOf(budget['last_reset']));
  if (lastReset === undefined || period === 'total') return false;
  return lastReset < target.periodStart(period, now);
}

/** Windows follow each other since the creation of the budget. */
function windowIsOver(budget: Values, hours: number, { now }: BudgetParts): boolean {
  const lastReset = timeOf(textOf(budget['last_reset']));
  const first = timeOf(textOf(budget['created_at'])) ?? lastReset;
  if (lastReset === undefined || first === undefined || !(hours > 0)) return false;
  const length = hours * hourMs;
  return first + Math.floor(Math.max(0, now - first) / length) * length > lastReset;
}

/** An increase for some periods is not taken: it would never end here. */
function permanentIncrease(budget: Values, parts: BudgetParts): bigint {
  const mode = textOf(budget['override_mode']);
  const extra = textOf(budget['override_amount']);
  if (mode === 'forever') return moneyOf('override_amount', extra, parts) ?? 0n;
  if (mode !== undefined) parts.findings.add('increase_not_taken', parts.subject, { amount: extra ?? '' });
  return 0n;
}
