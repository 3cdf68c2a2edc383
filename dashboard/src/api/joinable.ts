interface Joinable<Result> {
  /** Returns the promise of the running work of that name, or starts the work. */
  join(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** A user may press a button twice before the page shows it as busy. The second press joins the work of the first. */
export function joinable<Result>(): Joinable<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return {
    join(name, work) {
      const begun = underWay.get(name) ?? work().finally(() => underWay.delete(name));
      underWay.set(name, begun);
      return begun;
    },
  };
}
