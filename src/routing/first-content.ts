import type { EventFlow, EventSink } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { isContent, type StreamEvent } from '../core/stream-event.ts';

/**
 * Resolves with the same flow once its first content has arrived, and rejects if it ends or fails before. Until then no
 * client has seen any of the answer, and another upstream may be called. Events without content, such as early usage,
 * are held back until then; `onEarlyEvents` receives them at once. `begins` may define another beginning than content.
 */
export function awaitFirstContent(
  source: EventFlow,
  onEarlyEvents: EarlyEventListener = () => {},
  begins: (event: StreamEvent) => boolean = isContent,
): Promise<EventFlow> {
  return new Promise((resolve, reject) => {
    const flow = new BegunFlow(source, { begun: resolve, failed: reject, onEarlyEvents, begins });
    source.start(flow);
  });
}

/** The cause of a failed call whose answer ended before it began. */
export class EmptyAnswer extends Error {
  constructor() {
    super('the answer was empty');
    this.name = 'EmptyAnswer';
  }
}

/** An answer with this many events and no content counts as begun. */
const heldEventsMax = 1000;

type EarlyEventListener = (events: readonly StreamEvent[]) => void;

interface ContentListener {
  begun(flow: EventFlow): void;
  failed(error: unknown): void;
  readonly onEarlyEvents: EarlyEventListener;
  readonly begins: (event: StreamEvent) => boolean;
}

/** Buffers events until the reader calls `start`, then passes them through. */
class BegunFlow implements EventFlow, EventSink {
  readonly #source: EventFlow;
  readonly #listener: ContentListener;
  #kept: StreamEvent[] = [];
  #hasBegun = false;
  #ending: ((sink: EventSink) => void) | undefined;
  #sink: EventSink | undefined;
  #isPaused = false;
  #isCancelled = false;

  constructor(source: EventFlow, listener: ContentListener) {
    this.#source = source;
    this.#listener = listener;
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#sink) return this.#sink.events(batch);
    if (batch.length === 0) return;
    for (const event of batch) this.#kept.push(event);
    if (this.#hasBegun) return this.#source.pause();
    const { begins, onEarlyEvents } = this.#listener;
    if (!batch.some(begins) && this.#kept.length < heldEventsMax) return onEarlyEvents(batch);
    this.#hasBegun = true;
    this.#listener.begun(this);
  }

  end(): void {
    if (this.#hasBegun) return this.#over(endSink);
    this.#listener.failed(new GatewayError('upstream-failed', { cause: new EmptyAnswer() }));
  }

  fail(error: unknown): void {
    if (this.#hasBegun) return this.#over((sink) => sink.fail(error));
    this.#listener.failed(error);
  }

  start(sink: EventSink): void {
    queueMicrotask(() => {
      if (this.#isCancelled) return;
      this.#sink = sink;
      const kept = this.#kept;
      this.#kept = [];
      sink.events(kept);
      if (this.#ending && !this.#isCancelled) this.#ending(sink);
      else if (!this.#isPaused) this.#source.resume();
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#kept = [];
    this.#source.cancel();
  }

  #over(ending: (sink: EventSink) => void): void {
    if (this.#sink) ending(this.#sink);
    else this.#ending = ending;
  }
}

function endSink(sink: EventSink): void {
  sink.end();
}
