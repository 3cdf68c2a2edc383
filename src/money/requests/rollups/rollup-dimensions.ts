import { readTags } from '../request-record.ts';
import type { GroupName } from './usage-group.ts';

export const dimensions = ['account', 'model', 'key', 'user', 'upstream', 'status', 'error', 'tag'] as const;
export type Dimension = (typeof dimensions)[number];

/** Calls by upstream and its name for the model. Their rollups have only calls and histograms. */
export const routeDimension = 'route';
export const routesMax = 200;

export function routeValue(upstream: string, model: string): string {
  return `${upstream}\n${model}`;
}

/** The account id of sums over all accounts; no account has this id. */
export const everyAccount = '';

interface DimensionTerms {
  /** One value, or several if a request counts for each. */
  readonly valuesOf: (name: GroupName) => readonly (string | null)[];
  /** Values with sums of their own per hour and account: invented names cannot fill the store. */
  readonly valuesMax: number;
  /** Whether there are sums per account, and sums over all accounts. */
  readonly ofAccount: boolean;
  readonly ofAll: boolean;
}

/** A day has this many times the value limit of an hour. */
export const dayValuesFactor = 2;

/** Users, tags and keys are summed per account only: over all accounts there could be any number. */
export const dimensionTerms: Readonly<Record<Dimension, DimensionTerms>> = {
  account: { valuesOf: (name) => [name.account_id], valuesMax: 1000, ofAccount: false, ofAll: true },
  model: { valuesOf: (name) => [name.model], valuesMax: 200, ofAccount: true, ofAll: true },
  key: { valuesOf: (name) => [name.key_id], valuesMax: 1000, ofAccount: true, ofAll: false },
  user: { valuesOf: (name) => [name.user_id], valuesMax: 100, ofAccount: true, ofAll: false },
  upstream: { valuesOf: (name) => [name.upstream], valuesMax: 200, ofAccount: true, ofAll: true },
  status: { valuesOf: (name) => [String(name.status)], valuesMax: 100, ofAccount: true, ofAll: true },
  error: { valuesOf: (name) => [name.error_case], valuesMax: 200, ofAccount: true, ofAll: true },
  tag: {
    valuesOf: (name) => (name.tags === null ? [null] : readTags(name.tags)),
    valuesMax: 100,
    ofAccount: true,
    ofAll: false,
  },
};

/** Whether the sums over all accounts are read from the sums of each, with a value for each account. */
export function isPerAccount({
  accountId,
  by,
}: {
  readonly accountId?: string | undefined;
  readonly by: Dimension;
}): boolean {
  return accountId === undefined && !dimensionTerms[by].ofAll;
}

/** Value of a rollup: given, absent, or one of those beyond the limit. */
export type RollupValue =
  | {
      readonly kind: 'value';
      readonly value: string;
      /** Its account, if the query returns a line for each account. */
      readonly accountId?: string | undefined;
    }
  | { readonly kind: 'none' | 'other' };

/** A value as stored. Clients can choose any text as a user label, so an absent value must look different. */
export function storedValue(value: string | null): string {
  return value === null ? storedNone : `=${value}`;
}

export function storedValueOf(value: RollupValue): string {
  if (value.kind === 'value') return `${value.accountId ?? ''}${storedValue(value.value)}`;
  return value.kind === 'none' ? storedNone : storedOther;
}

export function rollupValue(stored: string): RollupValue {
  if (stored === storedNone) return { kind: 'none' };
  if (stored === storedOther) return { kind: 'other' };
  // No id of an account contains the sign.
  const sign = stored.indexOf('=');
  return { kind: 'value', value: stored.slice(sign + 1), ...(sign > 0 && { accountId: stored.slice(0, sign) }) };
}

/** A value as one text: empty if absent, and `(other)` for those beyond the limit. */
export function plainNameOf(value: RollupValue): string {
  if (value.kind === 'value') return value.value;
  return value.kind === 'none' ? '' : '(other)';
}

const storedNone = '-';
export const storedOther = '+';
