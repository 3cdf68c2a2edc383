import { assert } from 'chat-formats/assert.ts';
import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import { guardedSink } from 'chat-formats/chat/guarded-sink.ts';
import { isContent, type StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { ConstraintViolation } from 'chat-formats/guarantees/constraint-violation.ts';

interface RePrompter {
  /** Re-prompts the model. Resolves with its next answer; rejects with the error for the reader. */
  rePrompt(violation: ConstraintViolation): Promise<EventFlow>;
  /** Called when an answer has ended without a violation, with its anomalies. */
  accepted(anomalies: ReadonlySet<string>): void;
  readonly onError: (error: unknown) => void;
}

/**
 * An answer whose model is re-prompted when it violates a constraint. The reader sees one answer: the valid part of the
 * first, directly followed by the next one. The gate before this stage decides which part is valid. It holds back the
 * rest and fails with the violation.
 */
export class RePromptFlow implements EventFlow, EventSink {
  readonly #rePrompter: RePrompter;
  #source: EventFlow;
  #sink: EventSink | undefined;
  #isPaused = false;
  #isOver = false;
  #hasBegun = false;
  #anomalies = new Set<string>();

  constructor(first: EventFlow, rePrompter: RePrompter) {
    this.#source = first;
    this.#rePrompter = rePrompter;
  }

  start(sink: EventSink): void {
    assert(this.#sink === undefined, 'a flow is started once');
    this.#sink = guardedSink(sink, this, this.#rePrompter.onError);
    this.#read();
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
    this.#isOver = true;
    this.#source.cancel();
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#isOver) return;
    // A later answer has a longer prompt. The reader already has the prompt usage of the first.
    const passed = this.#hasBegun ? batch.filter(({ type }) => type !== 'usage-so-far') : batch;
    for (const event of batch) if (event.type === 'anomaly') this.#anomalies.add(event.what);
    this.#hasBegun ||= passed.some(isContent);
    this.#sink?.events(passed);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rePrompter.accepted(this.#anomalies);
    this.#sink?.end();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    if (error instanceof ConstraintViolation) void this.#rePrompt(error);
    else this.#failOnce(error);
  }

  async #rePrompt(violation: ConstraintViolation): Promise<void> {
    try {
      const next = await this.#rePrompter.rePrompt(violation);
      if (this.#isOver) return next.cancel();
      this.#source = next;
      this.#anomalies = new Set();
      this.#read();
    } catch (error) {
      this.#failOnce(error);
    }
  }

  #read(): void {
    this.#source.start(guardedSink(this, this.#source, this.#rePrompter.onError));
    if (this.#isPaused) this.#source.pause();
  }

  #failOnce(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(error);
  }
}
