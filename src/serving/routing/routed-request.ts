import type { RequestTrace } from '../../core/request-trace.ts';
import type { Attempt } from './calls/attempt.ts';
import type { Demand } from './fair-queue/demand.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';

/** The parts of a request that routing needs besides its content. */
export interface RoutedRequest {
  readonly signal: AbortSignal;
  /** The end of the queue timeout, on the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  readonly demand: Demand;
  readonly trace?: RequestTrace | undefined;
  /** Called for every upstream call once it has begun to answer or has failed. */
  attempted(attempt: Attempt): void;
  readonly calls: CallListener;
  /** Called when a wait ends without a slot. */
  onQueueTimeout(wait: QueueTimeout): void;
  /** Called when a slot is granted after a wait, before it is used. Throws if the request may not use it any more. */
  admit?: (() => Promise<void> | undefined) | undefined;
  /**
   * Called with each slot that the request gets, before its first use. Throws if the request cannot pay; the next one
   * then gets the slot.
   */
  pay?: (() => Promise<void>) | undefined;
  /** Called when the request begins to wait for a slot, and when the wait is over. May abort the signal. */
  waits(isWaiting: boolean): void;
  /** Called before each call of a provider. May abort the signal. */
  willCall?: (() => void) | undefined;
}

/** How long a request waited without getting a slot, and how many requests were ahead of it. */
export interface QueueTimeout {
  readonly waitMs: number;
  readonly position: number;
}

/** Receives the progress of each call. If a client leaves while a provider works, it is charged for what was sent. */
export interface CallListener {
  sent(): void;
  /** Events that arrived before the first content. */
  receivedEarly(events: readonly StreamEvent[]): void;
  /** The provider produced no answer to the call. */
  undone(): void;
}
