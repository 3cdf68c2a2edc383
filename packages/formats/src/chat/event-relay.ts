import { assert } from '../assert.ts';
import type { EventFlow, EventSink } from './event-flow.ts';
import { guardedSink } from './guarded-sink.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * A stage between a flow and its reader. By itself it changes nothing. A subclass inspects the events (`events`) or
 * cleans up at the end (`closed`). If the subclass or the reader throws, the source is cancelled and the reader gets
 * one `fail`.
 */
export class EventRelay implements EventFlow, EventSink {
  readonly #source: EventFlow;
  #sink: EventSink | undefined;
  #state: 'open' | 'ended' | 'failed' | 'cancelled' = 'open';

  constructor(source: EventFlow) {
    this.#source = source;
  }

  start(sink: EventSink): void {
    assert(this.#sink === undefined, 'a flow is started once');
    const onError = (error: unknown): void => this.onError(error);
    this.#sink = guardedSink(sink, this, onError);
    this.#source.start(guardedSink(this, this.#source, onError));
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  /** Cancels the source even if `closed` throws; the error is thrown afterwards. */
  cancel(): void {
    if (this.#state !== 'open') return;
    this.#state = 'cancelled';
    try {
      this.closed('cancelled');
    } finally {
      this.#source.cancel();
    }
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#state === 'open') this.#sink?.events(batch);
  }

  end(): void {
    this.#close('ended', (sink) => sink.end());
  }

  fail(error: unknown): void {
    this.#close('failed', (sink) => sink.fail(error));
  }

  /** Runs once, however the flow ends, before the reader gets the end. */
  protected closed(_how: 'ended' | 'failed' | 'cancelled'): void {}

  /** Called with errors that can no longer be passed to the reader. */
  protected onError(_error: unknown): void {}

  #close(how: 'ended' | 'failed', deliverEnd: (sink: EventSink) => void): void {
    if (this.#state === 'cancelled') return;
    assert(this.#state === 'open', 'a flow ends once');
    this.#state = how;
    let deliver = deliverEnd;
    try {
      this.closed(how);
    } catch (broken) {
      deliver = (sink) => sink.fail(broken);
    }
    if (this.#sink) deliver(this.#sink);
  }
}
