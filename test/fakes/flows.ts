import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';

/** A flow that a test drives by hand. */
export class ManualFlow implements EventFlow {
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

/** A sink that records everything it receives. */
export class CollectingSink implements EventSink {
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

/** A flow that emits its batches right after `start`, and then ends, fails or stays silent. */
export class ScriptFlow extends ManualFlow {
  readonly #batches: readonly (readonly StreamEvent[])[];
  readonly #ending: 'end' | 'hang' | { readonly error: unknown };

  constructor(batches: readonly (readonly StreamEvent[])[], ending: 'end' | 'hang' | { readonly error: unknown }) {
    super();
    this.#batches = batches;
    this.#ending = ending;
  }

  override start(sink: EventSink): void {
    super.start(sink);
    queueMicrotask(() => {
      for (const batch of this.#batches) if (!this.isCancelled) sink.events(batch);
      if (this.isCancelled || this.#ending === 'hang') return;
      if (this.#ending === 'end') sink.end();
      else sink.fail(this.#ending.error);
    });
  }
}

/** A complete answer of these words. */
export function spoken(...words: readonly string[]): ScriptFlow {
  const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
  return new ScriptFlow([...words.map((word) => [textDelta(word)]), [finish]], 'end');
}
