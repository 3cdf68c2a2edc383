/** Keeps tries beyond the first from adding to the load of a provider that is in trouble. */
export interface RetryBudget {
  /** The right to one more try, to be given back when that has ended; `undefined` when too many are under way. */
  take(): (() => void) | undefined;
  readonly inUse: number;
  readonly limit: number;
}

const inFlightShare = 0.1;
const limitMin = 3;

/** A tenth of what is running at upstreams (those who wait make no load), and a few in any case, so that a quiet gateway can retry at all. */
export function retryBudget(inFlight: () => number): RetryBudget {
  let inUse = 0;
  const limit = (): number => Math.max(limitMin, Math.floor(inFlight() * inFlightShare));
  return {
    take() {
      if (inUse >= limit()) return undefined;
      inUse += 1;
      let isHeld = true;
      return () => {
        if (isHeld) inUse -= 1;
        isHeld = false;
      };
    },
    get inUse() {
      return inUse;
    },
    get limit() {
      return limit();
    },
  };
}
