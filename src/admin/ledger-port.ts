import type { Nano } from '../core/money.ts';

/** What the APIs need of the ledger. Bound to a store, so that a credit can land in the transaction of its audit line. */
export interface Ledger {
  readonly credit: Readonly<Record<CreditKind, (credit: Credit) => Promise<{ readonly isNew: boolean }>>>;
  balanceOf(accountId: string): Promise<Balance>;
  /** Newest first, from behind the line `before`. */
  lines(part: LedgerPart): Promise<readonly LedgerLine[]>;
}

export type CreditKind = 'grant' | 'top_up' | 'refund' | 'adjust';

export interface Credit {
  readonly accountId: string;
  /** Negative only in an adjustment. */
  readonly amount: Nano;
  /** Names the credit for good: the same reference and kind again change nothing. */
  readonly reference: string;
  readonly by: string;
  readonly reason: string;
}

export interface Balance {
  readonly granted: Nano;
  readonly toppedUp: Nano;
  readonly reserved: Nano;
}

export interface LedgerPart {
  readonly accountId: string;
  readonly kind?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The id of a line. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface LedgerLine {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly reference: string;
  readonly keyId: string | undefined;
  /** As the customer sees it: what was spent is negative. */
  readonly amount: Nano;
  readonly by: string;
  readonly reason: string;
  readonly priceVersion: string | undefined;
}
