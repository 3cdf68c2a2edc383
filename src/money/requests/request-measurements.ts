import type { ConstraintName, ConstraintOutcome } from 'chat-formats/chat/guarantee.ts';
import type { FallbackReason } from 'chat-formats/chat/model.ts';
import type { MeasuredAttempt } from '../../core/request-trace.ts';

/** Measurements that are not stored. They are finer than the record, in milliseconds of the clock's `elapsed`. */
export interface RequestMeasurements {
  /** When the request arrived. */
  readonly startedMs: number;
  readonly attempts: readonly MeasuredAttempt[];
  /** How long it waited for a slot that it did not get. */
  readonly queueTimeoutMs: number | undefined;
  /** How long it waited for slots before its first attempt, apart from the wait of that attempt. */
  readonly earlyWaitMs?: number;
  /** When the provider's answer ended, or when the gateway stopped reading it. */
  readonly answeredMs: number | undefined;
  /** When its charge was durable. */
  readonly settledMs: number | undefined;
  /** Number of output pieces received. */
  readonly pieces: number;
  /** Fallback models that were used; absent if there are none. */
  readonly fallbacks?: readonly MeasuredFallback[];
  /** The answering provider reported more usage than the request can have. */
  readonly isOverstated?: boolean;
}

/** The result of one enforced constraint in one answer of a model. */
export interface MeasuredConstraint {
  readonly model: string;
  readonly constraint: ConstraintName;
  readonly outcome: ConstraintOutcome;
}

/** A model that was used instead of the one that the client named. */
export interface MeasuredFallback {
  readonly from: string;
  readonly to: string;
  /** Why; absent if the model before it could not be called at all. */
  readonly reason: FallbackReason | undefined;
}
