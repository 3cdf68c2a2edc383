import type { StreamEvent } from './stream-event.ts';

/**
 * Where a flow's events go. Exactly one of `end` and `fail` is called, and it is the last call. A sink that throws at
 * `events` or `end` has its flow cancelled and hears what it threw through `fail`.
 */
export interface EventSink {
  events(batch: readonly StreamEvent[]): void;
  end(): void;
  fail(error: unknown): void;
}

/**
 * Events on their way to one reader, pushed in batches as they are read: one read from the provider's socket is one
 * batch, and a batch costs a call, not a promise.
 */
export interface EventFlow {
  /** Begins delivery; called once. Nothing is delivered before it, nor synchronously inside it. */
  start(sink: EventSink): void;
  /** Asks the source to stop reading. A batch already read may still arrive. */
  pause(): void;
  resume(): void;
  /** The reader lost interest: the source is closed and the sink hears nothing more. Safe at any time, twice, and before `start`. */
  cancel(): void;
}
