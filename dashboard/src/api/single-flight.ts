interface SingleFlight<Result> {
  /** Returns the promise of the running work with this key, or starts the work. */
  run(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** A user may press a button twice before the page shows it as busy. The second press shares the work of the first. */
export function singleFlight<Result>(): SingleFlight<Result> {
  const running = new Map<string, Promise<Result>>();
  return {
    run(key, work) {
      const promise = running.get(key) ?? work().finally(() => running.delete(key));
      running.set(key, promise);
      return promise;
    },
  };
}
