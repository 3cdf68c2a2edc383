import { moneyOf } from '../amounts.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import type { FindingSubject } from '../findings.ts';
import type { PlannedKey, PlannedLimit } from '../plan.ts';
import { type Row, timeOf } from '../table-reader.ts';
import { textOf, valuesOf } from '../values.ts';
import { budgetOf, ownLimit, windowLimits } from './budgets.ts';
import { budgetRow, temporaryBudget } from './lost-limits.ts';
import { windowsOf } from './source.ts';
import type { OwnerParts } from './teams.ts';

interface CapParts extends OwnerParts {
  readonly subject: FindingSubject;
  readonly name: string;
}

type Cap = Pick<PlannedKey, 'spendCap' | 'capPeriod' | 'spent' | 'spentInPeriod' | 'expiresAt'>;

/**
 * A key has one cap: the one that includes all its budgets. Its shared budget holds if it has no own one. `lost`: the
 * budgets that a single cap cannot express.
 */
export function capOf(row: Row, parts: CapParts): Cap & { readonly lost: readonly string[] } {
  const shared = row['max_budget'] ? undefined : budgetRow(parts.source.tables, row);
  const windowOf = windowsOf('key', row['token'] ?? '', parts.source);
  const budget = budgetOf(shared ?? row);
  const [base] = ownLimit(budget, row['spend'], parts);
  const windows = windowLimits(budgetOf(row), row['spend'], { ...parts, windowOf });
  const increased = base && withIncrease(base, row, parts);
  const limits = necessary([...(increased ? [increased.limit] : []), ...windows]);
  const [first, ...others] = limits;
  const lost = others.length > 0 ? limits.map(({ amount, period }) => `${decimalText(amount)} (${period})`) : [];
  const until = increased?.until ?? Infinity;
  const expiresAt = Math.min(timeOf(row['expires']) ?? Infinity, until);
  const expiry = expiresAt === Infinity ? {} : { expiresAt };
  const spend = base?.spent ?? moneyOf('spend', row['spend'] ?? undefined, parts) ?? 0n;
  if (!first) return { spent: spend, ...expiry, lost };
  const capPeriod = first.period === 'total' ? undefined : first.period;
  // LiteLLM sets `spend` to 0 at the end of a period. The budgets of the organisation and others count all of it.
  const total = moneyOf('total_spend', row['total_spend'] ?? undefined, parts) ?? 0n;
  const spent = capPeriod
    ? [spend, total].reduce((most, each) => (each > most ? each : most), first.spent)
    : first.spent;
  return {
    spendCap: first.amount,
    ...(capPeriod && { capPeriod }),
    spent,
    ...(spent !== first.spent && { spentInPeriod: first.spent }),
    ...expiry,
    lost,
  };
}

/** Without the limits that another one includes: it is longer, smaller, and leaves no more. */
function necessary(limits: readonly PlannedLimit[]): readonly PlannedLimit[] {
  return limits.filter(
    (limit, index) => !limits.some((other, place) => place !== index && includes(other, limit, place < index)),
  );
}

function includes(one: PlannedLimit, other: PlannedLimit, isFirst: boolean): boolean {
  const isSame = one.period === other.period;
  // A week can begin in one month and end in the next.
  const isLonger = isSame || one.period === 'total' || other.period === 'day';
  const isEqual = isSame && one.amount === other.amount && one.spent === other.spent;
  const hasLess = one.amount <= other.amount && one.amount - one.spent <= other.amount - other.spent;
  return isLonger && hasLess && (!isEqual || isFirst);
}

/**
 * A cap cannot shrink at a time. If the key works only because of the increase, it keeps the larger cap and ends with the
 * increase; else it has the cap without it.
 */
function withIncrease(
  limit: PlannedLimit,
  row: Row,
  { now, findings, subject, name, ...parts }: CapParts,
): { readonly limit: PlannedLimit; readonly until?: number } {
  const metadata = valuesOf(row['metadata']);
  const values = { increase: textOf(metadata['temp_budget_increase']), expiry: textOf(metadata['temp_budget_expiry']) };
  const temporary = temporaryBudget(values, now);
  const amount = temporary && moneyOf('temp_budget_increase', temporary.increase, { ...parts, findings, subject });
  if (!temporary || !amount) return { limit };
  const until = new Date(temporary.until).toISOString();
  const params = { name, increase: decimalText(amount), until, cap: decimalText(limit.amount) };
  if (limit.spent < limit.amount) {
    findings.add('temporary_budget_left_out', subject, params);
    return { limit };
  }
  findings.add('temporary_budget_ends', subject, params);
  return { limit: { ...limit, amount: limit.amount + amount }, until: temporary.until };
}
