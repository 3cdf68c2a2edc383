/** This many refusals without an answer in between are no accident. */
const refusalsInARow = 3;

/** Refusals of several models in a row prove that the provider lacks capacity, and not only for one model. */
export class RefusalStreak {
  #refusals = 0;
  #model: string | undefined;
  #isOfSeveral = false;

  answered(): void {
    this.#refusals = 0;
    this.#model = undefined;
    this.#isOfSeveral = false;
  }

  /** Returns whether this refusal is evidence about the whole upstream. */
  refused(model: string): boolean {
    this.#refusals += 1;
    if (this.#model !== undefined && this.#model !== model) this.#isOfSeveral = true;
    this.#model = model;
    return this.#isOfSeveral && this.#refusals >= refusalsInARow;
  }
}
