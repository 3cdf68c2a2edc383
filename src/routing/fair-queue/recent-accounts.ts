/** Where another account was seen this recently, one may come at any moment. */
const recentMs = 300_000;
/**
 * Of so few slots one account soon has all, before anybody else has come for the first time; of fewer still, one would
 * be too many to keep free for somebody who may never come.
 */
const few = { from: 4, below: 10 };

/** Remembers whether anyone but a given account has been here of late. */
export class RecentAccounts {
  readonly #sinceMs: number;
  #latest: AccountSighting | undefined;
  /** The latest of an account other than the latest one. */
  #other: AccountSighting | undefined;

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  note(id: string, atMs: number): void {
    if (this.#latest?.id !== id) this.#other = this.#latest;
    this.#latest = { id, atMs };
  }

  /** Whether another one than this may come: it was here lately, or it is too early to know, which matters where slots are few. */
  mayCome(id: string, slots: number, nowMs: number): boolean {
    if (slots >= few.from && slots < few.below && nowMs - this.#sinceMs <= recentMs) return true;
    const sighting = this.#latest?.id === id ? this.#other : this.#latest;
    return sighting !== undefined && nowMs - sighting.atMs <= recentMs;
  }
}

interface AccountSighting {
  readonly id: string;
  readonly atMs: number;
}
