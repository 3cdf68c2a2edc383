/** If another account sent a request this recently, one may come at any moment. */
const recentMs = 300_000;
/**
 * With this few slots, one account soon has all before another one has sent its first request. With fewer than `from`,
 * keeping one free for an account that may never come would cost too much.
 */
const few = { from: 4, below: 10 };

/** Stores which accounts sent requests last, to answer whether another one than a given account may come. */
export class RecentAccounts {
  readonly #sinceMs: number;
  #latest: RecentAccount | undefined;
  /** The latest request of any other account. */
  #other: RecentAccount | undefined;

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** When the last request arrived, or since when there could have been one. */
  get lastMs(): number {
    return this.#latest?.atMs ?? this.#sinceMs;
  }

  note(id: string, atMs: number): void {
    if (this.#latest?.id !== id) this.#other = this.#latest;
    this.#latest = { id, atMs };
  }

  /** Whether another account may come: one was here recently, or with few slots it is too early to know. */
  mayCome(id: string, slots: number, nowMs: number): boolean {
    if (slots >= few.from && slots < few.below && nowMs - this.#sinceMs <= recentMs) return true;
    const sighting = this.#latest?.id === id ? this.#other : this.#latest;
    return sighting !== undefined && nowMs - sighting.atMs <= recentMs;
  }
}

interface RecentAccount {
  readonly id: string;
  readonly atMs: number;
}
