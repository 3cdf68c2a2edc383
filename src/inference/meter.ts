import { assert } from '../core/assert.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Bill, Receipt } from './bill.ts';

/**
 * Measures an answer while it streams. Its end is passed on when the charge is durable, after exactly one usage event.
 * An answer that breaks off or is cancelled is charged for the part received.
 */
export class Meter extends EventRelay {
  readonly #bill: Bill;
  readonly #onError: (error: unknown) => void;
  /** Whether the tally has already received the answer, except for its anomalies. */
  readonly #isBilled: boolean;
  /** The batch with the finish. It is sent with the end, so that both leave in one write. */
  #last: readonly StreamEvent[] = [];
  #isEnding = false;

  constructor(source: EventFlow, bill: Bill, onError: (error: unknown) => void, isBilled = false) {
    super(source);
    this.#bill = bill;
    this.#isBilled = isBilled;
    bill.begin();
    this.#onError = onError;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#bill.tally.see(this.#isBilled ? batch.filter(isAnomaly) : batch);
    const pending = this.#last.length === 0 ? batch : [...this.#last, ...batch];
    const isLast = this.#bill.tally.finish !== undefined;
    this.#last = isLast ? pending : [];
    if (!isLast) super.events(pending);
  }

  override end(): void {
    assert(!this.#isEnding, 'an answer ends once');
    this.#isEnding = true;
    this.#bill
      .settle()
      .then((receipt) => this.#endWith(receipt))
      .catch((error: unknown) => this.fail(error))
      .catch((error: unknown) => this.onError(error));
  }

  override fail(error: unknown): void {
    super.events(this.#last);
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    // The request record awaits the same receipt and reports this error.
    if (how !== 'ended') void this.#bill.settle().catch(() => undefined);
  }

  protected override onError(error: unknown): void {
    this.#onError(error);
  }

  #endWith(receipt: Receipt | undefined): void {
    assert(receipt !== undefined, 'an answer that has begun has a receipt');
    const { usage } = receipt;
    const others = this.#last.filter((event) => event.type !== 'usage');
    super.events([...others, { type: 'usage', usage }]);
    super.end();
  }
}

function isAnomaly({ type }: StreamEvent): boolean {
  return type === 'anomaly';
}
