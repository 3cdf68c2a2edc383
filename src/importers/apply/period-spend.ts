import { decimalText, type Nano } from '../../core/money.ts';
import { type CapPeriod, capPeriods } from '../../core/time/cap-period.ts';
import type { FindingList, FindingSubject } from '../findings.ts';
import type { PlannedAccount, PlannedKey, PlannedLimit, PlannedUser } from '../plan.ts';

/** The part of a key's spend that lies in the current period of a limit of its member or account. */
export interface PeriodSpend {
  readonly period: CapPeriod;
  readonly amount: Nano;
}

export interface AccountMember {
  readonly sourceId: string;
  readonly limits: readonly PlannedLimit[];
}

/** The memberships of users by account. */
export function membersByAccount(users: readonly PlannedUser[]): ReadonlyMap<string, readonly AccountMember[]> {
  const all = users.flatMap(({ sourceId, memberships }) =>
    memberships.map(({ account, limits }) => ({ account, sourceId, limits })),
  );
  return Map.groupBy(all, ({ account }) => account);
}

interface SpendParts {
  readonly account: PlannedAccount;
  /** The memberships in the account, with the ids of their users. */
  readonly members: readonly AccountMember[];
  /** The keys of the account that are booked. */
  readonly keys: readonly PlannedKey[];
  readonly findings: FindingList;
}

/**
 * Says which part of the spend of keys without a period lies in the current period, so that the limits of members and of
 * the account count exactly what the source has, and nothing is booked twice. The sum of a key stays the same. Spend of
 * a member that no key has is reported.
 */
export function spendInPeriods({ account, members, keys, findings }: SpendParts): ReadonlyMap<string, PeriodSpend> {
  const placed = new Map<string, PeriodSpend>();
  const byMember = Map.groupBy(
    keys.filter((key) => key.account === account.sourceId),
    ({ member }) => member,
  );
  for (const { sourceId, limits } of members) {
    const own = byMember.get(sourceId) ?? [];
    const parts = { subject: { kind: 'user', sourceId }, name: account.name, findings } as const;
    for (const [key, part] of placedSpend(limits, own, parts)) placed.set(key, part);
    const total = limits.find(({ period }) => period === 'total');
    if (total) reportMissing(total, sumOf(own), parts);
  }
  const limit = longestLimit(account.limits);
  if (!limit) return placed;
  const others = keys.filter(({ sourceId, capPeriod }) => capPeriod === undefined && !placed.has(sourceId));
  const known = [...placed.values()].reduce((sum, { amount }) => sum + amount, spentInPeriods(keys));
  return new Map([...placed, ...divided(limit.spent - known, limit.period, others)]);
}

interface ReportParts {
  readonly subject: FindingSubject;
  /** The account or the organisation of the limit. */
  readonly name: string;
  readonly findings: FindingList;
}

function placedSpend(
  limits: readonly PlannedLimit[],
  keys: readonly PlannedKey[],
  parts: ReportParts,
): ReadonlyMap<string, PeriodSpend> {
  const limit = longestLimit(limits);
  if (!limit) return new Map();
  const { period, spent } = limit;
  const known = spentInPeriods(keys);
  if (known > spent) parts.findings.add('keys_spent_more', parts.subject, { period, more: decimalText(known - spent) });
  const placed = divided(
    spent - known,
    period,
    keys.filter(({ capPeriod }) => capPeriod === undefined),
  );
  const booked = [...placed.values()].reduce((sum, { amount }) => sum + amount, known);
  reportMissing(limit, booked, parts);
  return placed;
}

/** The limit of the longest period, which contains the spend of the others. */
function longestLimit(limits: readonly PlannedLimit[]): (PlannedLimit & { readonly period: CapPeriod }) | undefined {
  const period = capPeriods.findLast((each) => limits.some((limit) => limit.period === each));
  const limit = limits.find((each) => each.period === period);
  return limit && period && { ...limit, period };
}

/** Divides an amount between keys, at most the spend of each. */
function divided(amount: Nano, period: CapPeriod, keys: readonly PlannedKey[]): ReadonlyMap<string, PeriodSpend> {
  const placed = new Map<string, PeriodSpend>();
  let rest = amount > 0n ? amount : 0n;
  for (const { sourceId, spent } of keys) {
    const part = spent < rest ? spent : rest;
    rest -= part;
    placed.set(sourceId, { period, amount: part });
  }
  return placed;
}

function spentInPeriods(keys: readonly PlannedKey[]): Nano {
  return sumOf(keys.filter(({ capPeriod }) => capPeriod !== undefined));
}

/** Reports spend of a limit that nothing is booked for. */
export function reportMissing(limit: PlannedLimit, booked: Nano, { subject, name, findings }: ReportParts): void {
  if (booked >= limit.spent) return;
  findings.add('spend_not_booked', subject, {
    name,
    missing: decimalText(limit.spent - booked),
    spent: decimalText(limit.spent),
    limit: decimalText(limit.amount),
    period: limit.period,
  });
}

function sumOf(keys: readonly PlannedKey[]): Nano {
  return keys.reduce((sum, { spent }) => sum + spent, 0n);
}
