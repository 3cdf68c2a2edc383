import type { EventFlow, EventSink } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { StreamEvent } from '../core/stream-event.ts';

/**
 * Resolves with the same flow once its first content is here, and rejects if it ends or fails before: until then
 * nothing of the answer has been seen by anyone and another upstream may be asked. What is no content, such as early
 * usage, is held back until then.
 */
export function awaitFirstContent(source: EventFlow): Promise<EventFlow> {
  return new Promise((resolve, reject) => {
    const flow = new BegunFlow(source, resolve, reject);
    source.start(flow);
  });
}

/** A provider that says this much without content has begun all the same. */
const heldEventsMax = 1000;

/** Keeps what arrives before the reader's `start`, then steps aside. */
class BegunFlow implements EventFlow, EventSink {
  readonly #source: EventFlow;
  readonly #begun: (flow: EventFlow) => void;
  readonly #failed: (error: unknown) => void;
  #kept: StreamEvent[] = [];
  #hasBegun = false;
  #ending: ((sink: EventSink) => void) | undefined;
  #sink: EventSink | undefined;
  #isPaused = false;
  #isCancelled = false;

  constructor(source: EventFlow, begun: (flow: EventFlow) => void, failed: (error: unknown) => void) {
    this.#source = source;
    this.#begun = begun;
    this.#failed = failed;
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#sink) return this.#sink.events(batch);
    if (batch.length === 0) return;
    for (const event of batch) this.#kept.push(event);
    if (this.#hasBegun) return this.#source.pause();
    if (!batch.some(isContent) && this.#kept.length < heldEventsMax) return;
    this.#hasBegun = true;
    this.#begun(this);
  }

  end(): void {
    if (this.#hasBegun) return this.#over(endSink);
    this.#failed(new GatewayError('upstream-failed', { cause: new Error('the answer was empty') }));
  }

  fail(error: unknown): void {
    if (this.#hasBegun) return this.#over((sink) => sink.fail(error));
    this.#failed(error);
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

/** A finish is content: an answer may be complete with nothing said. */
function isContent({ type }: StreamEvent): boolean {
  return type !== 'usage' && type !== 'usage-so-far' && type !== 'anomaly';
}

function endSink(sink: EventSink): void {
  sink.end();
}
