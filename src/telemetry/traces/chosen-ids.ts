import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Generates random span ids. An id sent to a provider before its span exists can be set for the next span. */
export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | undefined;

  /** Call it directly before the span is created: the next span that is created gets this id. */
  choose(spanId: string): void {
    this.#next = spanId;
  }

  generateTraceId(): string {
    return this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const chosen = this.#next;
    this.#next = undefined;
    return chosen ?? this.#random.generateSpanId();
  }
}
