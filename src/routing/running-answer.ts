import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Slot } from './slot.ts';
import type { Candidate } from './candidates.ts';
import { promptTokensIn, requestCost, usedCost } from './request-cost.ts';

/**
 * A running answer. When it is over, it releases its slot with the actual cost, and reports the result to its
 * credential.
 */
export class RunningAnswer extends EventRelay {
  readonly #slot: Slot;
  readonly #candidate: Candidate;
  readonly #signal: AbortSignal;
  readonly #bytes: number;
  #reportedCost: number | undefined;
  #pieces = 0;
  #error: unknown;

  constructor(source: EventFlow, held: { slot: Slot; candidate: Candidate; signal: AbortSignal; bytes: number }) {
    super(source);
    this.#slot = held.slot;
    this.#candidate = held.candidate;
    this.#signal = held.signal;
    this.#bytes = held.bytes;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#pieces += batch.length;
    for (const event of batch) if (event.type === 'usage') this.#reportedCost = usedCost(event.usage);
    super.events(batch);
  }

  override fail(error: unknown): void {
    this.#error = error;
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    const { credential, route } = this.#candidate;
    try {
      if (how === 'failed' && !this.#signal.aborted) credential.streamFailed(this.#error, route.model);
      else credential.completed(route.model);
    } finally {
      this.#slot.leave(this.#reportedCost ?? requestCost(promptTokensIn(this.#bytes), this.#pieces));
    }
  }
}
