import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Turn } from './lane-queue.ts';
import type { Option } from './options.ts';
import { promptTokensIn, requestCost, usedCost } from './request-cost.ts';

/** An answer on its way: gives its place back when it is over, says what it cost, and tells its channel how it went. */
export class RunningAnswer extends EventRelay {
  readonly #turn: Turn;
  readonly #option: Option;
  readonly #signal: AbortSignal;
  readonly #bytes: number;
  #toldCost: number | undefined;
  #pieces = 0;
  #error: unknown;

  constructor(source: EventFlow, held: { turn: Turn; option: Option; signal: AbortSignal; bytes: number }) {
    super(source);
    this.#turn = held.turn;
    this.#option = held.option;
    this.#signal = held.signal;
    this.#bytes = held.bytes;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#pieces += batch.length;
    for (const event of batch) if (event.type === 'usage') this.#toldCost = usedCost(event.usage);
    super.events(batch);
  }

  override fail(error: unknown): void {
    this.#error = error;
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    this.#turn.leave(this.#toldCost ?? requestCost(promptTokensIn(this.#bytes), this.#pieces));
    const { channel, route } = this.#option;
    if (how === 'failed' && !this.#signal.aborted) channel.failed(this.#error, route.model);
    else channel.completed();
  }
}
