import { calendarSpans } from '../../core/time/cap-period.ts';
import type { KeyCap } from '../../core/caller.ts';
import type { Nano } from '../../core/money.ts';

/** The spend cap of a key for one span of time. */
export interface KeyBudget {
  readonly accountId: string;
  readonly keyId: string;
  readonly firstKeyId: string;
  readonly cap: Nano;
  /** How often it renews, and in which time zone. */
  readonly period: string;
  readonly since: number;
  /** `undefined` if the cap never renews. */
  readonly until: number | undefined;
}

const forAllTime = 'all';

/** Returns a function that finds the budget for a request that starts at `at`. */
export function keyBudgets(): (key: { accountId: string; keyId: string }, cap: KeyCap, at: number) => KeyBudget {
  const spanAt = calendarSpans();
  return ({ accountId, keyId }, { amount, renewal, firstKeyId }, at) => {
    const { since, until } = renewal ? spanAt(renewal, at) : { since: 0, until: undefined };
    const period = renewal ? `${renewal.period} ${renewal.timeZone}` : forAllTime;
    return { accountId, keyId, firstKeyId, cap: amount, period, since, until };
  };
}

/**
 * All fields of a budget as one string, so that a lease of another cap or another span is never mistaken for this one.
 */
export function budgetName({ accountId, keyId, firstKeyId, cap, period, since, until }: KeyBudget): string {
  return JSON.stringify([accountId, keyId, firstKeyId, String(cap), period, since, until ?? null]);
}

export function budgetNamed(name: string): KeyBudget {
  const [accountId, keyId, firstKeyId, cap, period, since, until] = JSON.parse(name) as BudgetFields;
  return { accountId, keyId, firstKeyId, cap: BigInt(cap), period, since, until: until ?? undefined };
}

type BudgetFields = readonly [
  accountId: string,
  keyId: string,
  firstKeyId: string,
  cap: string,
  period: string,
  since: number,
  until: number | null,
];
