const inFlightShare = 0.1;
const limitMin = 3;

export type RetryBudget = ReturnType<typeof retryBudget>;

/**
 * Limits retries, so that they do not add to the load of a failing provider: to a tenth of the calls running at
 * upstreams (waiting requests make no load), and at least three, so that a quiet gateway can retry at all.
 */
export function retryBudget(inFlight: () => number) {
  let inUse = 0;
  const limit = (): number => Math.max(limitMin, Math.floor(inFlight() * inFlightShare));
  return {
    /** Takes one retry. Call the returned function when it has ended. `undefined` if too many are running. */
    take(): (() => void) | undefined {
      if (inUse >= limit()) return undefined;
      inUse += 1;
      let isUnreleased = true;
      return () => {
        if (isUnreleased) inUse -= 1;
        isUnreleased = false;
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
