interface Joinable<Result> {
  /** Returns the promise of the running work of that name, or starts the work. */
  join(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** A user may press a button twice before the page shows it as busy. The second press joins the work of the first. */
export function joinable<Result>(): Joinable<Result> {
  const running = new Map<string, Promise<Result>>();
  return {
    join(name, work) {
      const promise = running.get(name) ?? work().finally(() => running.delete(name));
      running.set(name, promise);
      return promise;
    },
  };
}
