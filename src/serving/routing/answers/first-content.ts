import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { isContent, type StreamEvent } from 'chat-formats/chat/stream-event.ts';

/**
 * Resolves with the same flow once its first content has arrived, and rejects if it ends or fails before. Until then no
 * client has seen any of the answer, and another upstream may be called. Events without content, such as early usage,
 * are buffered until then; `onEarlyEvents` receives them immediately. `isFirstContent` replaces the default test for a
 * content event.
 */
export function awaitFirstContent(
  source: EventFlow,
  onEarlyEvents: EarlyEventListener = () => {},
  isFirstContent: (event: StreamEvent) => boolean = isContent,
): Promise<EventFlow> {
  return new Promise((resolve, reject) => {
    const flow = new FirstContentBuffer(source, {
      onFirstContent: resolve,
      onFailure: reject,
      onEarlyEvents,
      isFirstContent,
    });
    source.start(flow);
  });
}

/** The cause of the error if an answer ends without content. */
export class EmptyAnswer extends Error {
  constructor() {
    super('the answer was empty');
    this.name = 'EmptyAnswer';
  }
}

/** An answer with this many events and no content counts as begun. */
const bufferedEventsMax = 1000;

type EarlyEventListener = (events: readonly StreamEvent[]) => void;

interface ContentListener {
  onFirstContent(flow: EventFlow): void;
  onFailure(error: unknown): void;
  readonly onEarlyEvents: EarlyEventListener;
  readonly isFirstContent: (event: StreamEvent) => boolean;
}

/** Buffers events until the reader calls `start`, then forwards them. */
class FirstContentBuffer implements EventFlow, EventSink {
  readonly #source: EventFlow;
  readonly #listener: ContentListener;
  #buffered: StreamEvent[] = [];
  #hasBegun = false;
  #pendingEnd: ((sink: EventSink) => void) | undefined;
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
    for (const event of batch) this.#buffered.push(event);
    if (this.#hasBegun) return this.#source.pause();
    const { isFirstContent, onEarlyEvents } = this.#listener;
    if (!batch.some(isFirstContent) && this.#buffered.length < bufferedEventsMax) return onEarlyEvents(batch);
    this.#hasBegun = true;
    this.#listener.onFirstContent(this);
  }

  end(): void {
    if (this.#hasBegun) return this.#finish(endSink);
    this.#listener.onFailure(new GatewayError('upstream-failed', { cause: new EmptyAnswer() }));
  }

  fail(error: unknown): void {
    if (this.#hasBegun) return this.#finish((sink) => sink.fail(error));
    this.#listener.onFailure(error);
  }

  start(sink: EventSink): void {
    queueMicrotask(() => {
      if (this.#isCancelled) return;
      this.#sink = sink;
      const buffered = this.#buffered;
      this.#buffered = [];
      sink.events(buffered);
      if (this.#pendingEnd && !this.#isCancelled) this.#pendingEnd(sink);
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
    this.#buffered = [];
    this.#source.cancel();
  }

  #finish(ending: (sink: EventSink) => void): void {
    if (this.#sink) ending(this.#sink);
    else this.#pendingEnd = ending;
  }
}

function endSink(sink: EventSink): void {
  sink.end();
}
