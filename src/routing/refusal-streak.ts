/** So many refusals with no answer in between are no accident. */
const refusalsInARow = 3;

/** Tells a provider that is short of room from one whose single model is: only the refusals of several models in a row do. */
export class RefusalStreak {
  #refusals = 0;
  #model: string | undefined;
  #isOfSeveral = false;

  answered(): void {
    this.#refusals = 0;
    this.#model = undefined;
    this.#isOfSeveral = false;
  }

  /** Whether this refusal says something about the upstream as a whole. */
  refused(model: string): boolean {
    this.#refusals += 1;
    if (this.#model !== undefined && this.#model !== model) this.#isOfSeveral = true;
    this.#model = model;
    return this.#isOfSeveral && this.#refusals >= refusalsInARow;
  }
}
