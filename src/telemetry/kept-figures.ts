/** Things by three names, each made when it is first wanted. As many as there are combinations of the names. */
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
