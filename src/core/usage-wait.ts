import type { StreamEvent } from './stream-event.ts';

/** What an answer used is worth a short wait, where its provider has not said it when the answer is cut off here. */
export const usageWaitMs = 1000;

/** A provider that says more than this behind the cut is not about to end. */
const piecesMax = 32;

/**
 * Listens to a provider whose answer was cut off here: of all that it still says only what it used counts. The same
 * however its bytes come.
 */
export class UsageWait {
  #pieces = 0;
  #isOver = false;

  /** Whether nothing is waited for any more: the usage has come, or the provider goes on as if nothing had been cut. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The usage, if it is among these events. */
  hear(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) {
      if (this.#isOver) return [];
      if (event.type === 'usage') {
        this.#isOver = true;
        return [event];
      }
      if ('choice' in event && event.type !== 'finish') this.#pieces += 1;
      this.#isOver = this.#pieces > piecesMax;
    }
    return [];
  }
}
