import type { StreamEvent } from './stream-event.ts';

/** How long to wait for the usage report of an answer that the gateway cut. */
export const usageWaitMs = 1000;

/** If a provider sends more pieces than this after the cut, it is not about to end. */
const maxPieces = 32;

/** After the gateway cut the answer, only the usage counts, however the bytes are split. */
export class UsageWait {
  #pieces = 0;
  /** Whether the wait has ended: the usage has arrived, or the provider continues as if nothing had been cut. */
  isOver = false;

  /** The usage, if it is among these events. */
  read(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) {
      if (this.isOver) return [];
      if (event.type === 'usage') {
        this.isOver = true;
        return [event];
      }
      if ('choice' in event && event.type !== 'finish') this.#pieces += 1;
      this.isOver = this.#pieces > maxPieces;
    }
    return [];
  }
}
