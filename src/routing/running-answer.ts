import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Turn } from './lane-queue.ts';
import type { Option } from './options.ts';

/** An answer on its way: gives its place back when it is over, and tells its channel how that went. */
export class RunningAnswer extends EventRelay {
  readonly #turn: Turn;
  readonly #option: Option;
  readonly #signal: AbortSignal;
  #tokens: number | undefined;
  #error: unknown;

  constructor(source: EventFlow, held: { turn: Turn; option: Option; signal: AbortSignal }) {
    super(source);
    this.#turn = held.turn;
    this.#option = held.option;
    this.#signal = held.signal;
  }

  override events(batch: readonly StreamEvent[]): void {
    for (const event of batch) {
      if (event.type === 'usage') this.#tokens = event.usage.promptTokens + event.usage.completionTokens;
    }
    super.events(batch);
  }

  override fail(error: unknown): void {
    this.#error = error;
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    this.#turn.leave(this.#tokens);
    const { channel, route } = this.#option;
    if (how === 'failed' && !this.#signal.aborted) channel.failed(this.#error, route.model);
    else channel.completed();
  }
}
