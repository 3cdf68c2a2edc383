import { InvariantViolation } from './assert.ts';
import type { EventFlow, EventSink } from './event-flow.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * The reader of a flow, so that a mistake in it ends this flow and nothing else: what it throws never reaches whoever
 * delivers, which may be a socket, a timer or a promise that nobody waits for. The source is let go, and the reader
 * hears its own mistake as the failure of the flow. What can be told to no reader is told to `trouble`.
 */
export function guardedSink(
  sink: EventSink,
  source: Pick<EventFlow, 'cancel'>,
  trouble: (error: unknown) => void = () => {},
): EventSink {
  return new GuardedSink(sink, source, trouble);
}

class GuardedSink implements EventSink {
  readonly #sink: EventSink;
  readonly #source: Pick<EventFlow, 'cancel'>;
  readonly #trouble: (error: unknown) => void;
  #state: 'open' | 'over' | 'broken' = 'open';

  constructor(sink: EventSink, source: Pick<EventFlow, 'cancel'>, trouble: (error: unknown) => void) {
    this.#sink = sink;
    this.#source = source;
    this.#trouble = trouble;
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#state !== 'open') return;
    try {
      this.#sink.events(batch);
    } catch (error) {
      this.#state = 'broken';
      this.#letGo();
      this.#tell(error);
    }
  }

  end(): void {
    if (!this.#ends()) return;
    try {
      this.#sink.end();
    } catch (error) {
      this.#tell(error);
    }
  }

  fail(error: unknown): void {
    if (this.#ends()) this.#tell(error);
  }

  /** A source that was let go may not know it yet; one that has ended does not end again. */
  #ends(): boolean {
    if (this.#state === 'over') this.#trouble(new InvariantViolation('a flow ends once'));
    if (this.#state !== 'open') return false;
    this.#state = 'over';
    return true;
  }

  #letGo(): void {
    try {
      this.#source.cancel();
    } catch (error) {
      this.#trouble(error);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#sink.fail(error);
    } catch (unheard) {
      this.#trouble(unheard);
    }
  }
}
