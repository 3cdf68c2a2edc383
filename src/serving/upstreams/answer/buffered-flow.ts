import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import { guardedSink } from 'chat-formats/chat/guarded-sink.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';

export interface FlowSource {
  pause(): void;
  resume(): void;
  /** The reader has left: later events are discarded. */
  cancel(): void;
}

/** Holds events that arrive before the reader starts. After two batches the source is paused. */
export class BufferedFlow implements EventFlow {
  readonly #source: FlowSource;
  #sink: EventSink | undefined;
  #held: (readonly StreamEvent[])[] = [];
  #ending: ((sink: EventSink) => void) | undefined;
  #isReaderBusy = false;
  #isHoldingEnough = false;
  #isSourcePaused = false;
  #isCancelled = false;

  constructor(source: FlowSource) {
    this.#source = source;
  }

  deliver(batch: readonly StreamEvent[]): void {
    if (this.#isCancelled || this.#ending || batch.length === 0) return;
    if (this.#sink) return this.#sink.events(batch);
    this.#isHoldingEnough = this.#held.push(batch) > 1;
    this.#steerSource();
  }

  end(): void {
    this.#end((sink) => sink.end());
  }

  fail(error: unknown): void {
    this.#end((sink) => sink.fail(error));
  }

  start(sink: EventSink): void {
    queueMicrotask(() => this.#deliverHeld(guardedSink(sink, this)));
  }

  pause(): void {
    this.#isReaderBusy = true;
    this.#steerSource();
  }

  resume(): void {
    this.#isReaderBusy = false;
    this.#steerSource();
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#held = [];
    if (!this.#ending) this.#source.cancel();
  }

  #deliverHeld(sink: EventSink): void {
    const held = this.#held;
    this.#held = [];
    this.#isHoldingEnough = false;
    this.#sink = sink;
    for (const batch of held) if (!this.#isCancelled) sink.events(batch);
    if (this.#isCancelled) return;
    if (this.#ending) this.#ending(sink);
    else this.#steerSource();
  }

  #steerSource(): void {
    const shouldPause = this.#isReaderBusy || this.#isHoldingEnough;
    if (shouldPause === this.#isSourcePaused || this.#ending || this.#isCancelled) return;
    this.#isSourcePaused = shouldPause;
    if (shouldPause) this.#source.pause();
    else this.#source.resume();
  }

  #end(ending: (sink: EventSink) => void): void {
    if (this.#isCancelled || this.#ending) return;
    this.#ending = ending;
    if (this.#sink) ending(this.#sink);
  }
}
