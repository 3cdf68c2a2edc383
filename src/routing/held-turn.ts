import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Visitor } from './fair-queue/visitor.ts';
import type { Turn } from './lane-queue.ts';
import { promptTokensIn, requestCost, usedCost } from './request-cost.ts';

/** Gives the place back when the answer is over, and says what the answer cost: by its usage, or by what passed. */
export class HeldTurn extends EventRelay {
  readonly #turn: Turn;
  readonly #visitor: Visitor;
  #toldCost: number | undefined;
  #pieces = 0;

  constructor(source: EventFlow, turn: Turn, visitor: Visitor) {
    super(source);
    this.#turn = turn;
    this.#visitor = visitor;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#pieces += batch.length;
    for (const event of batch) if (event.type === 'usage') this.#toldCost = usedCost(event.usage);
    super.events(batch);
  }

  protected override closed(): void {
    this.#turn.leave(this.#toldCost ?? requestCost(promptTokensIn(this.#visitor.bytes), this.#pieces));
  }
}
