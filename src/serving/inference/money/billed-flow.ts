import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { EventRelay } from 'chat-formats/chat/event-relay.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Bill } from './bill.ts';

/**
 * Adds an answer to the bill before a gate that may hold it back or discard it. So a client that leaves meanwhile, or
 * whose answer is discarded, pays for the part received. Anomalies are added after the gate, together with those of the
 * gate.
 */
export class BilledFlow extends EventRelay {
  readonly #bill: Bill;

  constructor(source: EventFlow, bill: Bill) {
    super(source);
    this.#bill = bill;
    bill.begin();
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#bill.usageMeter.measure(batch.filter(({ type }) => type !== 'anomaly'));
    super.events(batch);
  }
}
