/**
 * A slab of members that change with every request. A `Set` allocates a new table every few dozen changes, and the old
 * table still references its former members. Once that table is in the old generation, it keeps them in memory until
 * the next full collection. Here a free slot references nothing.
 */
export class Roster<Member> {
  readonly #slots: (Member | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  /** Returns the index of the new member, to pass to `remove`. */
  add(member: Member): number {
    const index = this.#free.pop() ?? this.#slots.length;
    this.#slots[index] = member;
    return index;
  }

  /** Returns false if the member is not at this index: already removed, or the index of another. */
  remove(member: Member, index: number): boolean {
    if (this.#slots[index] !== member) return false;
    this.#slots[index] = undefined;
    this.#free.push(index);
    return true;
  }

  /** All members with their indexes. Members added during the iteration may or may not be included. */
  *entries(): Generator<readonly [Member, number]> {
    for (let index = 0; index < this.#slots.length; index += 1) {
      const member = this.#slots[index];
      if (member !== undefined) yield [member, index];
    }
  }
}
