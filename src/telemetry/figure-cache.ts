/**
 * A cache with three-part keys. Each value is created on first use. Its size is the number of key combinations used.
 */
export class FigureCache<Figure> {
  readonly #all = new Map<string, Map<string | undefined, Map<string | undefined, Figure>>>();

  of(first: string, second: string | undefined, third: string | undefined, make: () => Figure): Figure {
    let seconds = this.#all.get(first);
    if (!seconds) this.#all.set(first, (seconds = new Map()));
    let thirds = seconds.get(second);
    if (!thirds) seconds.set(second, (thirds = new Map()));
    const cached = thirds.get(third);
    if (cached !== undefined) return cached;
    const created = make();
    thirds.set(third, created);
    return created;
  }

  clear(): void {
    this.#all.clear();
  }
}
