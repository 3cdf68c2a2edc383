import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Channel } from './channel.ts';
import type { Turn } from './lane-queue.ts';

/** An answer on its way: gives its place back when it is over, and tells its channel how that went. */
export class RunningAnswer extends EventRelay {
  readonly #turn: Turn;
  readonly #channel: Channel;
  readonly #signal: AbortSignal;
  #tokens: number | undefined;
  #error: unknown;

  constructor(source: EventFlow, held: { turn: Turn; channel: Channel; signal: AbortSignal }) {
    super(source);
    this.#turn = held.turn;
    this.#channel = held.channel;
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
    if (how === 'failed' && !this.#signal.aborted) this.#channel.failed(this.#error);
    else this.#channel.completed();
  }
}
