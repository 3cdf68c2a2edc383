import type { EventFlow, EventSink } from '../src/core/event-flow.ts';
import type { StreamEvent } from '../src/core/stream-event.ts';

/** A flow that a test plays by hand. */
export class HandFlow implements EventFlow {
  sink: EventSink | undefined;
  isPaused = false;
  isCancelled = false;

  start(sink: EventSink): void {
    this.sink = sink;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** A sink that remembers everything it hears. */
export class KeepingSink implements EventSink {
  readonly batches: StreamEvent[][] = [];
  readonly endings: ('end' | { readonly error: unknown })[] = [];

  events(batch: readonly StreamEvent[]): void {
    this.batches.push([...batch]);
  }

  end(): void {
    this.endings.push('end');
  }

  fail(error: unknown): void {
    this.endings.push({ error });
  }
}

export function textDelta(text: string, choice = 0): StreamEvent {
  return { type: 'text-delta', choice, text };
}
