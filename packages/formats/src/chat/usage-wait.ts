import type { StreamEvent } from './stream-event.ts';

/** How long to wait for the usage report of an answer that the gateway cut. */
export const usageWaitMs = 1000;

/** More pieces than the rest of a short answer: providers of the responses format cannot get stop sequences. */
const maxPieces = 256;

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
