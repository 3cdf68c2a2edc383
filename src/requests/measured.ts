import type { ConstraintName, ConstraintOutcome } from '../core/guarantee.ts';
import type { FallbackReason } from '../core/model.ts';
import type { CallTrace } from '../core/request-trace.ts';

/**
 * What is measured of a request and not stored with it: moments finer than the record keeps them, in milliseconds on the
 * clock's `elapsed` scale.
 */
export interface RequestMeasurements {
  /** When the request came. */
  readonly startedMs: number;
  readonly attempts: readonly MeasuredAttempt[];
  /** How long it waited for a turn that it did not get. */
  readonly queueTimeoutMs: number | undefined;
  /** When its provider had said everything, or was not listened to any more. */
  readonly answeredMs: number | undefined;
  /** When what it cost was durable. */
  readonly settledMs: number | undefined;
  /** Pieces of output that came. */
  readonly pieces: number;
  /** Models that were asked in the place of others; none if not said. */
  readonly fallbacks?: readonly MeasuredFallback[];
  /** The provider that answered reported more usage than the request can have. */
  readonly isOverstated?: boolean;
}

/** What became of one promise in one answer of a model. */
export interface MeasuredConstraint {
  readonly model: string;
  readonly promise: ConstraintName;
  readonly outcome: ConstraintOutcome;
}

/** A model that was asked in the place of the one that the client named. */
export interface MeasuredFallback {
  readonly from: string;
  readonly to: string;
  /** Why; not said where the one before it could not be asked at all. */
  readonly reason: FallbackReason | undefined;
}

/** One call of an upstream. */
export interface MeasuredAttempt {
  readonly upstream: string;
  /** The model's name there. */
  readonly model: string;
  /** Which of the upstream's credentials, counted from 0. */
  readonly credential: number;
  /** How long the request waited for its turn, and how long it paused before it did. */
  readonly waitMs: number;
  readonly pauseMs: number;
  readonly beganMs: number;
  /** When its answer began, or when it was given up. */
  readonly endedMs: number;
  /** From sending to the first content. */
  readonly firstEventMs: number | undefined;
  /** The status the provider sent, if it sent one. */
  readonly status: number | undefined;
  readonly error: unknown;
  /** Its trace, if it is traced. */
  readonly trace?: CallTrace | undefined;
}
