import type { StreamEvent } from '../core/stream-event.ts';

/** Whoever leaves while a provider is at work pays for what was asked of it: hears what that is, call by call. */
export interface CallListener {
  /** The request has gone out. */
  sent(): void;
  /** What the provider says before the first content. */
  heardEarly(events: readonly StreamEvent[]): void;
  /** Nothing came of the call, by the provider's doing. */
  undone(): void;
}
