import type { GroupName } from './usage-group.ts';

/** What usage can be sliced by. */
export const dimensions = ['account', 'model', 'key', 'user', 'upstream', 'status', 'error'] as const;
export type Dimension = (typeof dimensions)[number];

/** Under which account the sums over all accounts stand; no account has this id. */
export const everyAccount = '';

interface DimensionTerms {
  readonly valueOf: (name: GroupName) => string | null;
  /**
   * How many values of an hour of one account have sums of their own. What comes later in that hour is added up together,
   * so that nobody can fill the store with names they make up.
   */
  readonly valuesMax: number;
  /** Whether an account has sums of it, and whether all accounts together have. */
  readonly ofAccount: boolean;
  readonly ofAll: boolean;
}

/** How many more values a day tells apart than an hour. */
export const dayValuesFactor = 2;

/** Labels of clients and keys are summed up within their accounts only: over all of them they would be without number. */
export const dimensionTerms: Readonly<Record<Dimension, DimensionTerms>> = {
  account: { valueOf: (name) => name.account_id, valuesMax: 1000, ofAccount: false, ofAll: true },
  model: { valueOf: (name) => name.model, valuesMax: 200, ofAccount: true, ofAll: true },
  key: { valueOf: (name) => name.key_id, valuesMax: 1000, ofAccount: true, ofAll: false },
  user: { valueOf: (name) => name.user_id, valuesMax: 100, ofAccount: true, ofAll: false },
  upstream: { valueOf: (name) => name.upstream, valuesMax: 200, ofAccount: true, ofAll: true },
  status: { valueOf: (name) => String(name.status), valuesMax: 100, ofAccount: true, ofAll: true },
  error: { valueOf: (name) => name.error_case, valuesMax: 200, ofAccount: true, ofAll: true },
};

/** A value as a slice has it: said, not said, or one of those beyond what an hour tells apart. */
export type SliceValue = { readonly kind: 'value'; readonly value: string } | { readonly kind: 'none' | 'other' };

/** As it is stored. Clients write anything as their labels, so that what they did not write must look different. */
export function storedValue(value: string | null): string {
  return value === null ? storedNone : `=${value}`;
}

export function storedValueOf(value: SliceValue): string {
  if (value.kind === 'value') return storedValue(value.value);
  return value.kind === 'none' ? storedNone : storedOther;
}

export function sliceValue(stored: string): SliceValue {
  if (stored === storedNone) return { kind: 'none' };
  return stored === storedOther ? { kind: 'other' } : { kind: 'value', value: stored.slice(1) };
}

const storedNone = '-';
export const storedOther = '+';
