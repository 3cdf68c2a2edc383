const turnBudgetMs = 0.5;
/** Work that arrives within this time of the last start counts towards the same budget. */
const burstMs = 2;

/** New connections go first, for at most this many turns: existing clients have already sent their requests. */
const maxDeferredTurns = 8;
/** The event loop accepts one connection per turn: while more wait, one arrives in every turn. */
const arrivalTurns = 2;

interface WorkSchedulerParts {
  readonly elapsed: () => number;
  /** Runs the work in the next turn of the event loop, after all other events. */
  readonly nextTurn: (work: () => void) => void;
  readonly onError: (error: unknown) => void;
}

/** Dozens of requests and ends of answers arrive at once. In one turn they would keep all other events waiting. */
export class WorkScheduler {
  readonly #parts: WorkSchedulerParts;
  /** In order of arrival. At most one entry per request that waits for its start or its end. */
  readonly #waiting: (() => void)[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** Whether work has arrived in quick succession: until the next turn, all work counts towards one budget. */
  #isBurst = false;
  /** For how many more turns to expect new connections. */
  #arrivalTurnsLeft = 0;
  #deferredTurns = 0;

  constructor(parts: WorkSchedulerParts) {
    this.#parts = parts;
  }

  /** Runs the work now or in one of the next turns. If it throws, other work still runs. */
  pass(work: () => void): void {
    if (this.#waiting.length === 0 && this.#canRun(this.#parts.elapsed())) return this.#runWork(work);
    this.#waiting.push(work);
    if (this.#waiting.length === 1) this.#parts.nextTurn(this.#runTurn);
  }

  /** Work waits: more clients may wait to be accepted, one per turn, and one may be a health check. */
  arrived(): void {
    if (this.#arrivalTurnsLeft === 0) this.#parts.nextTurn(this.#countArrivals);
    this.#arrivalTurnsLeft = arrivalTurns;
  }

  readonly #countArrivals = (): void => {
    this.#arrivalTurnsLeft -= 1;
    if (this.#arrivalTurnsLeft > 0) this.#parts.nextTurn(this.#countArrivals);
  };

  #canRun(nowMs: number): boolean {
    if (this.#arrivalTurnsLeft > 0) return false;
    if (this.#isBurst) return nowMs - this.#sinceMs < turnBudgetMs;
    if (nowMs - this.#sinceMs >= burstMs) {
      this.#sinceMs = nowMs;
      return true;
    }
    this.#isBurst = true;
    this.#parts.nextTurn(this.#onTurnEnd);
    return nowMs - this.#sinceMs < turnBudgetMs;
  }

  readonly #onTurnEnd = (): void => {
    this.#isBurst = false;
    this.#sinceMs = this.#parts.elapsed();
  };

  readonly #runTurn = (): void => {
    if (this.#arrivalTurnsLeft > 0 && this.#deferredTurns < maxDeferredTurns) {
      this.#deferredTurns += 1;
      return this.#parts.nextTurn(this.#runTurn);
    }
    this.#deferredTurns = 0;
    this.#sinceMs = this.#parts.elapsed();
    this.#runNext();
  };

  readonly #runNext = (): void => {
    const work = this.#waiting[0];
    // Remove it only afterwards, so that work that arrives during `work` is queued.
    if (work) this.#runWork(work);
    this.#waiting.shift();
    if (this.#waiting.length > 0) afterPromises(this.#continueTurn);
  };

  readonly #continueTurn = (): void => {
    if (this.#parts.elapsed() - this.#sinceMs < turnBudgetMs) this.#runNext();
    else this.#parts.nextTurn(this.#runTurn);
  };

  #runWork(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.onError(error);
    }
  }
}

/** Calls back after the microtasks, so that promises of the previous work run, and count, before the next work. */
function afterPromises(work: () => void): void {
  queueMicrotask(() => process.nextTick(work));
}
