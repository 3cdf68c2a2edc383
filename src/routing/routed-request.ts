import type { RequestTrace } from '../core/request-trace.ts';
import type { Attempt } from './attempt.ts';
import type { CallListener } from './call-listener.ts';
import type { Demand } from './fair-queue/demand.ts';

/** What routing knows of a request besides what it asks. */
export interface RoutedRequest {
  readonly signal: AbortSignal;
  /** When waiting has to end, on the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  readonly demand: Demand;
  /** Its trace, if it is traced. */
  readonly trace?: RequestTrace | undefined;
  /** Hears of every call of an upstream when it has begun to answer or failed to. */
  attempted(attempt: Attempt): void;
  /** Hears how far each of those calls got. */
  readonly calls: CallListener;
  /** Hears of a wait that ended without a slot. */
  gaveUp(wait: QueueTimeout): void;
  /** Asked when a slot comes that was waited for, before it is used: throws if the request may not have it any more. */
  admit?(): Promise<void> | undefined;
  /** Told when the request begins to wait for its turn, and when that is over. May abort the signal. */
  waits(isWaiting: boolean): void;
}

/** How long a request waited for nothing, pauses included, and behind how many. */
export interface QueueTimeout {
  readonly waitMs: number;
  readonly position: number;
}
