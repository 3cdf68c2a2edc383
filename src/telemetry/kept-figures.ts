/**
 * A cache with three-part keys. Each value is created on first use. Its size is the number of key combinations used.
 */
export class KeptFigures<Kept> {
  readonly #all = new Map<string, Map<string | undefined, Map<string | undefined, Kept>>>();

  of(first: string, second: string | undefined, third: string | undefined, make: () => Kept): Kept {
    let seconds = this.#all.get(first);
    if (!seconds) this.#all.set(first, (seconds = new Map()));
    let thirds = seconds.get(second);
    if (!thirds) seconds.set(second, (thirds = new Map()));
    const known = thirds.get(third);
    if (known !== undefined) return known;
    const made = make();
    thirds.set(third, made);
    return made;
  }

  clear(): void {
    this.#all.clear();
  }
}
