import type { StreamEvent } from '../../core/chat/stream-event.ts';

/** Receives the progress of each call. If a client leaves while a provider works, it is charged for what was sent. */
export interface CallListener {
  /** The request was sent. */
  sent(): void;
  /** Events that arrived before the first content. */
  receivedEarly(events: readonly StreamEvent[]): void;
  /** The provider produced no answer to the call. */
  undone(): void;
}
