/**
 * Members that come and go with every request. A `Set` makes a new table every few dozen changes, and the one before goes
 * on naming those who were in it: once it is old it keeps them, and all they know, until the next full collection. Here
 * a place that was given back names nobody.
 */
export class Roster<Member> {
  readonly #places: (Member | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.length - this.#free.length;
  }

  /** Returns the place of the new member, which it says when it leaves. */
  add(member: Member): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = member;
    return place;
  }

  /** Whether it was there: nobody leaves twice, nor from the place of another. */
  remove(member: Member, place: number): boolean {
    if (this.#places[place] !== member) return false;
    this.#places[place] = undefined;
    this.#free.push(place);
    return true;
  }

  /** All members with their places; who comes meanwhile may be among them or not. */
  *entries(): Generator<readonly [Member, number]> {
    for (let place = 0; place < this.#places.length; place += 1) {
      const member = this.#places[place];
      if (member !== undefined) yield [member, place];
    }
  }
}
