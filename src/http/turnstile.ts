/** How long the work that passes in one turn of the event loop may take: about as much as anybody should wait for. */
const turnMs = 0.5;
/** Work that comes by itself counts together as if it came in one turn when it comes within this time. */
const togetherMs = 2;

interface TurnstileParts {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Does something when the event loop has looked after everybody else. */
  readonly nextTurn: (work: () => void) => void;
  /** Hears of work that failed. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Lets through a little work at a time, so that the event loop turns in between. Requests and the ends of answers come by
 * the dozen, each followed by the next one of the same client: without this they would all be done in one turn, together
 * again each time, while everybody else waits.
 */
export class Turnstile {
  readonly #parts: TurnstileParts;
  /** In the order they came. As many as there are requests that wait for their beginning or their end. */
  readonly #waiting: (() => void)[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  #spentMs = 0;

  constructor(parts: TurnstileParts) {
    this.#parts = parts;
  }

  /** Does the work now, or in one of the next turns. A mistake in it keeps nobody else from passing. */
  pass(work: () => void): void {
    const nowMs = this.#parts.elapsed();
    if (this.#waiting.length === 0 && this.#mayPass(nowMs)) return this.#do(work, nowMs);
    this.#waiting.push(work);
    if (this.#waiting.length === 1) this.#parts.nextTurn(this.#turn);
  }

  #mayPass(nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= togetherMs) this.#begin(nowMs);
    return this.#spentMs < turnMs;
  }

  #begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#spentMs = 0;
  }

  readonly #turn = (): void => {
    this.#begin(this.#parts.elapsed());
    // Whoever comes meanwhile finds somebody waiting, and waits too.
    for (let work = this.#waiting[0]; work && this.#spentMs < turnMs; work = this.#waiting[0]) {
      this.#do(work, this.#parts.elapsed());
      this.#waiting.shift();
    }
    if (this.#waiting.length > 0) this.#parts.nextTurn(this.#turn);
  };

  #do(work: () => void, nowMs: number): void {
    try {
      work();
    } catch (error) {
      this.#parts.onTrouble(error);
    }
    this.#spentMs += this.#parts.elapsed() - nowMs;
  }
}
