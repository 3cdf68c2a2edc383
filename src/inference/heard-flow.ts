import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Bill } from './bill.ts';

/**
 * An answer on its way to a gate that may hold it back or throw it away: what its provider says is told to the bill before
 * that, so that whoever leaves meanwhile, or has it thrown away, pays for what was said. What is odd is told behind the
 * gate, together with what is odd there.
 */
export class HeardFlow extends EventRelay {
  readonly #bill: Bill;

  constructor(source: EventFlow, bill: Bill) {
    super(source);
    this.#bill = bill;
    bill.begin();
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#bill.tally.see(batch.filter(({ type }) => type !== 'anomaly'));
    super.events(batch);
  }
}
