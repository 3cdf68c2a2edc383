/** What the process that answers is doing right now. */
export interface LiveState {
  /** Requests being served, wherever they are on their way. */
  readonly requests: number;
  readonly queues: readonly LiveQueue[];
  readonly rates: LiveRates;
}

/** The queue of one upstream. */
export interface LiveQueue {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  /** How long nobody gets a turn because the provider asked to be left alone. */
  readonly pausedMs: number;
  /** Jain's index of those who wait; `undefined` while there is nothing to compare. */
  readonly fairness: number | undefined;
  readonly accounts: readonly LiveAccount[];
}

export interface LiveAccount {
  readonly accountId: string;
  readonly running: number;
  readonly waiting: number;
}

/** What finished in the last minute, each a second. */
export interface LiveRates {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}
