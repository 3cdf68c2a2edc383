import type { StreamEvent } from '../core/stream-event.ts';
import type { Attempt } from './attempt.ts';
import type { Demand } from './fair-queue/demand.ts';

/** What routing knows of a request besides what it asks. */
export interface RoutedRequest {
  readonly signal: AbortSignal;
  /** When waiting has to end, on the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  readonly demand: Demand;
  /** Hears of every call of an upstream when it has begun to answer or failed to. */
  attempted(attempt: Attempt): void;
  /** Hears how far each of those calls got. */
  readonly calls: CallListener;
  /** Hears of a wait that ended without a place. */
  gaveUp(wait: VainWait): void;
  /** Told when the request begins to wait for its turn, and when that is over. May abort the signal. */
  waits(isWaiting: boolean): void;
  /** How many tokens a text is, as far as that can be known without its provider. */
  readonly countTokens: (text: string) => Promise<number>;
}

/** Whoever leaves while a provider is at work pays for what was asked of it: hears what that is, call by call. */
export interface CallListener {
  /** The request has gone out. */
  sent(): void;
  /** What the provider says before the first content. */
  heardEarly(events: readonly StreamEvent[]): void;
  /** Nothing came of the call, by the provider's doing. */
  undone(): void;
}

/** How long a request waited for nothing, pauses included, and behind how many. */
export interface VainWait {
  readonly waitMs: number;
  readonly position: number;
}
