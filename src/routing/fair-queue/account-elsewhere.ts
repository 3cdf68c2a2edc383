/** What one account has in other processes, seen from here. */
export class AccountElsewhere {
  /** Its calls there. */
  running = 0;
  /** What it has cost here, which others count: never less than was said before. */
  usedHere = 0;
  #told = 0;
  /** What it had cost there when that was last heard; `undefined` until it was asked for. */
  #used: number | undefined;
  #isAsked = false;

  /** What others are told. An estimate that was too high is not taken back; what comes after it counts that much later. */
  tell(): number {
    this.#isAsked = true;
    this.#told = Math.max(this.#told, this.usedHere);
    return this.#told;
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
