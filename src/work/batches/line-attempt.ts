import type { LineOutcome } from '../../core/line-outcome.ts';
import type { UnfinishedBatch } from './batch-claims.ts';

/** Why the attempt of a line is aborted whose batch was cancelled. */
export class BatchCancelled extends Error {}

/** One attempt to answer a line. */
export interface LineAttempt {
  readonly batch: UnfinishedBatch;
  readonly line: number;
  readonly requestId: string;
  /** JSON text of the request. */
  readonly body: string;
  readonly seat: { readonly index: number; readonly of: number };
  readonly signal: AbortSignal;
  /** Stores the body of the outcome. Called before its charge. */
  readonly keep: (body: string) => Promise<void>;
  /** Called when the request begins to wait for a slot, and when the wait is over. */
  readonly waits: (isWaiting: boolean) => void;
  /** Whether another request holds money of the account. Asked as soon as the money is refused. Never rejects. */
  readonly isMoneyHeld: () => Promise<boolean>;
  /** Called before each call of a provider. Aborts the signal if another process may run the line by now. */
  readonly willCall: () => void;
}

export interface LineReply {
  readonly outcome: LineOutcome;
  readonly body: string;
  /** The outcome is committed with its charge. */
  readonly isCharged: boolean;
  /** There was no capacity for it, or the gateway stops: the same request may succeed later. */
  readonly mayRepeat: boolean;
  /** The provider failed, or the gateway did, such as without its store: it may be repeated a few times. */
  readonly hasFailed: boolean;
  /** The account or a limit could not pay the maximum cost. */
  readonly lacksMoney: boolean;
  /** It may succeed once other requests have ended. */
  readonly moneyMayReturn: boolean;
}
