import type { StreamEvent } from './stream-event.ts';

/** Called with the id that the provider gave its answer. */
export type AnsweredAs = (id: string) => void;

/**
 * Receives the events of a flow. Exactly one of `end` and `fail` is called, and it is the last call. If the sink throws
 * in `events` or `end`, its flow is cancelled and `fail` is called with the error.
 */
export interface EventSink {
  events(batch: readonly StreamEvent[]): void;
  end(): void;
  fail(error: unknown): void;
}

/** Events for one reader, pushed as they are read: one read of the socket is one batch, and costs no promise. */
export interface EventFlow {
  /** Begins delivery; called once. Delivers nothing before the call, nor synchronously inside it. */
  start(sink: EventSink): void;
  /** Asks the source to stop reading. A batch already read may still arrive. */
  pause(): void;
  resume(): void;
  /** Closes the source; the sink receives nothing more. Safe at any time, repeatedly, and before `start`. */
  cancel(): void;
}
