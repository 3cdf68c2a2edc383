/** How long the work that passes in one turn of the event loop may take: about as much as anybody should wait for. */
const turnMs = 0.5;
/** Work that comes by itself counts together as if it came in one turn when it comes within this time. */
const togetherMs = 2;

/** Clients that have just connected go first, but for so many turns at most: those who are there have asked already. */
const turnsLeftMax = 8;
/** A turn of the event loop accepts one client: while more wait, one comes in every turn. */
const arrivingTurns = 2;

interface WorkSchedulerParts {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Does something when the event loop has looked after everybody else. */
  readonly nextTurn: (work: () => void) => void;
  /** Hears of work that failed. */
  readonly onError: (error: unknown) => void;
}

/**
 * Lets through a little work at a time, so that the event loop turns in between. Requests and the ends of answers come by
 * the dozen, each followed by the next one of the same client: without this they would all be done in one turn, together
 * again each time, while everybody else waits. What work leaves to be done after it, in promises, takes time as well.
 */
export class WorkScheduler {
  readonly #parts: WorkSchedulerParts;
  /** In the order they came. As many as there are requests that wait for their beginning or their end. */
  readonly #waiting: (() => void)[] = [];
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** Whether work has come together: until the event loop turns, all that is done since then counts. */
  #isCrowded = false;
  /** For how many turns yet clients are taken to be coming in. */
  #arrivingFor = 0;
  /** How many turns were left to them since something passed. */
  #turnsLeft = 0;

  constructor(parts: WorkSchedulerParts) {
    this.#parts = parts;
  }

  /** Does the work now, or in one of the next turns. A mistake in it keeps nobody else from passing. */
  pass(work: () => void): void {
    if (this.#waiting.length === 0 && this.#mayPass(this.#parts.elapsed())) return this.#do(work);
    this.#waiting.push(work);
    if (this.#waiting.length === 1) this.#parts.nextTurn(this.#turn);
  }

  /**
   * A client has connected, and others may be waiting behind it to be accepted, which takes a turn each. Whoever asks how
   * the process is doing may be one of them: work waits until they are in.
   */
  arrived(): void {
    if (this.#arrivingFor === 0) this.#parts.nextTurn(this.#countArrivals);
    this.#arrivingFor = arrivingTurns;
  }

  readonly #countArrivals = (): void => {
    this.#arrivingFor -= 1;
    if (this.#arrivingFor > 0) this.#parts.nextTurn(this.#countArrivals);
  };

  #mayPass(nowMs: number): boolean {
    if (this.#arrivingFor > 0) return false;
    if (this.#isCrowded) return nowMs - this.#sinceMs < turnMs;
    if (nowMs - this.#sinceMs >= togetherMs) {
      this.#sinceMs = nowMs;
      return true;
    }
    this.#isCrowded = true;
    this.#parts.nextTurn(this.#turned);
    return nowMs - this.#sinceMs < turnMs;
  }

  readonly #turned = (): void => {
    this.#isCrowded = false;
    this.#sinceMs = this.#parts.elapsed();
  };

  readonly #turn = (): void => {
    if (this.#arrivingFor > 0 && this.#turnsLeft < turnsLeftMax) {
      this.#turnsLeft += 1;
      return this.#parts.nextTurn(this.#turn);
    }
    this.#turnsLeft = 0;
    this.#sinceMs = this.#parts.elapsed();
    this.#next();
  };

  readonly #next = (): void => {
    const work = this.#waiting[0];
    // Whoever comes meanwhile finds somebody waiting, and waits too.
    if (work) this.#do(work);
    this.#waiting.shift();
    if (this.#waiting.length > 0) afterPromises(this.#goOn);
  };

  readonly #goOn = (): void => {
    if (this.#parts.elapsed() - this.#sinceMs < turnMs) this.#next();
    else this.#parts.nextTurn(this.#turn);
  };

  #do(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.onError(error);
    }
  }
}

/** When all that can go on has gone on: what work has left to promises is done and counted before the next one passes. */
function afterPromises(work: () => void): void {
  queueMicrotask(() => process.nextTick(work));
}
