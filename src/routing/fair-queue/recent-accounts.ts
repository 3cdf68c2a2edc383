/** Where another account was seen this recently, one may come at any moment. */
const recentMs = 300_000;

/** Remembers whether anyone but a given account has been here of late. */
export class RecentAccounts {
  #latest: Sighting | undefined;
  /** The latest of an account other than the latest one. */
  #other: Sighting | undefined;

  note(id: string, atMs: number): void {
    if (this.#latest?.id !== id) this.#other = this.#latest;
    this.#latest = { id, atMs };
  }

  hasOther(id: string, nowMs: number): boolean {
    const sighting = this.#latest?.id === id ? this.#other : this.#latest;
    return sighting !== undefined && nowMs - sighting.atMs <= recentMs;
  }
}

interface Sighting {
  readonly id: string;
  readonly atMs: number;
}
