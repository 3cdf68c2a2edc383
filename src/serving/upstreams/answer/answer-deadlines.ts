export interface AnswerTimeouts {
  readonly firstEvent: number;
  readonly idle: number;
  readonly total: number;
}

/** Tells when an answer has timed out. It has no timer. All times are on the clock's `elapsed` scale. */
export class AnswerDeadlines {
  readonly #timeouts: AnswerTimeouts;
  readonly #sentMs: number;
  #lastActivityMs = 0;
  #hasBegun = false;
  #isPaused = false;
  #isStopped = false;

  constructor(timeouts: AnswerTimeouts, sentMs: number) {
    this.#timeouts = timeouts;
    this.#sentMs = sentMs;
  }

  /** The first event has arrived: from now on the idle timeout between events applies. */
  begin(nowMs: number): void {
    this.#hasBegun = true;
    this.#lastActivityMs = nowMs;
  }

  recordActivity(nowMs: number): void {
    this.#lastActivityMs = nowMs;
  }

  /** The idle timeout does not apply while the client's backpressure pauses the provider. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(nowMs: number): void {
    this.#isPaused = false;
    this.#lastActivityMs = nowMs;
  }

  /** The provider is done: no timeout applies any more. */
  stop(): void {
    this.#isStopped = true;
  }

  dueMs(nowMs: number): number {
    if (this.#isStopped) return Number.POSITIVE_INFINITY;
    const { firstEvent, idle, total } = this.#timeouts;
    const silenceEndsMs = this.#hasBegun ? this.#lastActivityMs + idle : this.#sentMs + firstEvent;
    return Math.min(this.#isPaused ? nowMs + idle : silenceEndsMs, this.#sentMs + total);
  }

  expired(nowMs: number): string | undefined {
    if (this.#isStopped) return undefined;
    const { firstEvent, idle, total } = this.#timeouts;
    if (nowMs >= this.#sentMs + total) return `the answer was not complete within ${total} ms`;
    if (this.#isPaused) return undefined;
    if (!this.#hasBegun) return nowMs >= this.#sentMs + firstEvent ? `no event within ${firstEvent} ms` : undefined;
    return nowMs >= this.#lastActivityMs + idle ? `no event for ${idle} ms` : undefined;
  }
}
