/** Work under way, by name. */
interface Joinable<Result> {
  /** What the work of that name comes to; it is begun unless it is under way. */
  join(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** A button may be pressed twice before the page shows that it was: the second press waits for what the first began. */
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
