import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Ids of spans: random, unless one was chosen for the next span, because a provider was told of it before it was made. */
export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | undefined;

  /** Right before the span is made: nothing else may come between. */
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
