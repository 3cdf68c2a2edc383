/** The value of the `Date` header, formatted at most once a second. */
export class HttpDate {
  #second = -1;
  #text = '';

  text(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}
