import type { EventFlow, EventSink } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';

/** What a flow asks of whoever feeds it. */
export interface FlowSource {
  pause(): void;
  resume(): void;
  /** The reader is gone: nothing that is said from now on is heard. */
  cancel(): void;
}

/** The flow a provider's adapter feeds. What is said before the reader listens is kept, and soon the source is paused. */
export class HeldFlow implements EventFlow {
  readonly #source: FlowSource;
  #sink: EventSink | undefined;
  #held: (readonly StreamEvent[])[] = [];
  #ending: ((sink: EventSink) => void) | undefined;
  #isSourcePaused = false;
  #isCancelled = false;

  constructor(source: FlowSource) {
    this.#source = source;
  }

  deliver(batch: readonly StreamEvent[]): void {
    if (this.#isCancelled || this.#ending || batch.length === 0) return;
    if (this.#sink) return this.#sink.events(batch);
    if (this.#held.length > 0) this.pause();
    this.#held.push(batch);
  }

  end(): void {
    this.#end((sink) => sink.end());
  }

  fail(error: unknown): void {
    this.#end((sink) => sink.fail(error));
  }

  start(sink: EventSink): void {
    queueMicrotask(() => this.#deliverHeld(sink));
  }

  pause(): void {
    if (this.#isSourcePaused || this.#ending) return;
    this.#isSourcePaused = true;
    this.#source.pause();
  }

  resume(): void {
    if (!this.#isSourcePaused || this.#ending) return;
    this.#isSourcePaused = false;
    this.#source.resume();
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
    this.#sink = sink;
    for (const batch of held) if (!this.#isCancelled) sink.events(batch);
    if (this.#isCancelled) return;
    if (this.#ending) this.#ending(sink);
    else if (held.length > 1) this.resume();
  }

  #end(ending: (sink: EventSink) => void): void {
    if (this.#isCancelled || this.#ending) return;
    this.#ending = ending;
    if (this.#sink) ending(this.#sink);
  }
}
