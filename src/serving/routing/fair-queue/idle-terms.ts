/** The terms of a request of the idle class: it gets a slot only while no interactive request could use it. */
export interface IdleTerms {
  /** The requests of one batch take turns with those of the account's other batches. */
  readonly batchId: string;
  /** When a wait for a slot ends, on the clock's `elapsed` scale. The queue timeout does not apply. */
  readonly deadlineMs: number;
  /** From then on it competes for slots as an interactive request of its account does. */
  readonly ordinaryFromMs: number;
}

/** The time in which a batch has to run, on the clock's `elapsed` scale. */
export interface BatchWindow {
  readonly batchId: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** One of the requests that a process runs of a batch at once: seat `index` of `of`, from 0. */
export interface BatchSeat {
  readonly index: number;
  readonly of: number;
}

/**
 * The first seat of a batch turns ordinary after half of its window, the others one after another until its end. So the
 * part of its requests that compete for the account's ordinary share rises linearly from 0 to 1.
 */
export function idleTerms({ batchId, fromMs, untilMs }: BatchWindow, { index, of }: BatchSeat): IdleTerms {
  const halfMs = (untilMs - fromMs) / 2;
  return { batchId, deadlineMs: untilMs, ordinaryFromMs: fromMs + halfMs + (halfMs * index) / of };
}

/** The terms of a request that has begun to answer: the rest of the answer waits as an interactive request does. */
export function asOrdinary(idle: IdleTerms | undefined): IdleTerms | undefined {
  return idle && { ...idle, ordinaryFromMs: Number.NEGATIVE_INFINITY };
}

/** Whether the request is of the idle class now. */
export function isIdleClass(idle: IdleTerms | undefined, nowMs: number): boolean {
  return idle !== undefined && nowMs < idle.ordinaryFromMs;
}
