import { InvariantViolation } from '../assert.ts';
import type { EventFlow, EventSink } from './event-flow.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * Wraps the reader of a flow, so that an error in it ends this flow only. The error never reaches the caller, which may
 * be a socket, a timer or an unawaited promise. The source is cancelled, and the reader's `fail` is called with its own
 * error. Errors that cannot be passed to the reader go to `onError`.
 */
export function guardedSink(
  sink: EventSink,
  source: Pick<EventFlow, 'cancel'>,
  onError: (error: unknown) => void = () => {},
): EventSink {
  return new GuardedSink(sink, source, onError);
}

class GuardedSink implements EventSink {
  readonly #sink: EventSink;
  readonly #source: Pick<EventFlow, 'cancel'>;
  readonly #onError: (error: unknown) => void;
  #state: 'open' | 'over' | 'broken' = 'open';

  constructor(sink: EventSink, source: Pick<EventFlow, 'cancel'>, onError: (error: unknown) => void) {
    this.#sink = sink;
    this.#source = source;
    this.#onError = onError;
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#state !== 'open') return;
    try {
      this.#sink.events(batch);
    } catch (error) {
      this.#state = 'broken';
      this.#cancelSource();
      this.#failSink(error);
    }
  }

  end(): void {
    if (!this.#ends()) return;
    try {
      this.#sink.end();
    } catch (error) {
      this.#failSink(error);
    }
  }

  fail(error: unknown): void {
    if (this.#ends()) this.#failSink(error);
  }

  /** A cancelled source may still deliver. A source that has ended must not end again. */
  #ends(): boolean {
    if (this.#state === 'over') this.#onError(new InvariantViolation('a flow ends once'));
    if (this.#state !== 'open') return false;
    this.#state = 'over';
    return true;
  }

  #cancelSource(): void {
    try {
      this.#source.cancel();
    } catch (error) {
      this.#onError(error);
    }
  }

  #failSink(error: unknown): void {
    try {
      this.#sink.fail(error);
    } catch (sinkError) {
      this.#onError(sinkError);
    }
  }
}
