/** What one account has in other processes, seen from here. */
export class AccountElsewhere {
  /** Its calls there. */
  running = 0;
  /** What its requests that are over have cost here. Estimates are not told: they may be many times what comes of them. */
  usedHere = 0;
  /** What it had cost there when that was last heard; `undefined` until it was asked for. */
  #used: number | undefined;
  #isAsked = false;

  /** What others are told. */
  tell(): number {
    this.#isAsked = true;
    return this.usedHere;
  }

  /** What it has cost elsewhere since that was last heard. What it had before it came here is nobody's business. */
  hear(said: { readonly running: number; readonly used: number } | undefined): number {
    this.running = said?.running ?? 0;
    if (!this.#isAsked) return 0;
    const used = said?.used ?? 0;
    const before = this.#used ?? used;
    this.#used = used;
    // Less than before means that a process is gone, or has forgotten the account.
    return Math.max(0, used - before);
  }
}
