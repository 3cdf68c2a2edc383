import { decimalText, type Nano, nanoFrom } from './money.ts';
import { type CapPeriod, capPeriods } from './time/cap-period.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** `total`: the limit never renews. */
export type LimitPeriod = CapPeriod | 'total';

export const limitPeriods: readonly LimitPeriod[] = [...capPeriods, 'total'];

/**
 * What a limit counts: the keys of a chain of rotated keys, the keys of a member in one account, an account, or all
 * accounts of an organisation. Requests reserve in this order.
 */
export type LimitScope = (typeof limitScopes)[number];

export const limitScopes = ['key', 'member', 'account', 'organisation'] as const;

/** A member has a limit in each of their accounts. */
export function memberSubject(accountId: string, userId: string): string {
  return `${accountId} ${userId}`;
}

/** The most that a key, a member, an account or an organisation may spend in each period. */
export interface Limit {
  readonly amount: Nano;
  readonly period: LimitPeriod;
  /** Shares of the amount, such as `0.8`, at which the owners are notified. */
  readonly notifyAt: readonly string[];
}

/** A limit as columns, files and APIs have it. */
export interface LimitText {
  readonly amount: string;
  readonly period: LimitPeriod;
  readonly notify_at?: readonly string[] | undefined;
}

export function limitFrom({ amount, period, notify_at: notifyAt = [] }: LimitText): Limit {
  return { amount: nanoFrom(amount), period, notifyAt };
}

export function limitText({ amount, period, notifyAt }: Limit): LimitText {
  return { amount: decimalText(amount), period, ...(notifyAt.length > 0 && { notify_at: notifyAt }) };
}

/** Reads a `limits` column. */
export function limitsFrom(column: string | null): readonly Limit[] {
  return column === null ? [] : (ownJson(column) as readonly LimitText[]).map(limitFrom);
}

/** Writes a `limits` column. */
export function limitsColumn(limits: readonly Limit[]): string | null {
  return limits.length === 0 ? null : JSON.stringify(limits.map(limitText));
}
