/**
 * A slab of members that change with every request. A `Set` allocates a new table every few dozen changes, and the old
 * table still references its former members. Once that table is in the old generation, it keeps them in memory until
 * the next full collection. Here a free slot references nothing.
 */
export class Roster<Member> {
  readonly #places: (Member | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.length - this.#free.length;
  }

  /** Returns the index of the new member, to pass to `remove`. */
  add(member: Member): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = member;
    return place;
  }

  /** Returns false if the member is not at this index: already removed, or the index of another. */
  remove(member: Member, place: number): boolean {
    if (this.#places[place] !== member) return false;
    this.#places[place] = undefined;
    this.#free.push(place);
    return true;
  }

  /** All members with their indexes. Members added during the iteration may or may not be included. */
  *entries(): Generator<readonly [Member, number]> {
    for (let place = 0; place < this.#places.length; place += 1) {
      const member = this.#places[place];
      if (member !== undefined) yield [member, place];
    }
  }
}
