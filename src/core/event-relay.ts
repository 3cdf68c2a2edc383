import type { EventFlow, EventSink } from './event-flow.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * A stage between a flow and its reader. By itself it changes nothing; a subclass looks at what passes (`events`) or
 * tidies up when it is over (`closed`).
 */
export class EventRelay implements EventFlow, EventSink {
  readonly #source: EventFlow;
  #sink: EventSink | undefined;
  #isClosed = false;

  constructor(source: EventFlow) {
    this.#source = source;
  }

  start(sink: EventSink): void {
    this.#sink = sink;
    this.#source.start(this);
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  cancel(): void {
    if (!this.#close('cancelled')) return;
    this.#source.cancel();
  }

  events(batch: readonly StreamEvent[]): void {
    if (!this.#isClosed) this.#sink?.events(batch);
  }

  end(): void {
    if (this.#close('ended')) this.#sink?.end();
  }

  fail(error: unknown): void {
    if (this.#close('failed')) this.#sink?.fail(error);
  }

  /** Runs once, however the flow comes to its end, before the reader hears of it. */
  protected closed(_how: 'ended' | 'failed' | 'cancelled'): void {}

  #close(how: 'ended' | 'failed' | 'cancelled'): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.closed(how);
    return true;
  }
}
