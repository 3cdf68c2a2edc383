const firstMs = 250;
const longestMs = 30_000;
/** A worker that has served for this long did not fail because of its start. */
const soundMs = 60_000;

/**
 * The back-off before a worker is replaced. The first time there is none; it doubles with every failure that follows
 * soon, so that a program that cannot run does not take the processor from workers that can.
 */
export class RestartBackoff {
  #failures = 0;

  afterMs(servedMs: number): number {
    if (servedMs >= soundMs) this.#failures = 0;
    const pauseMs = this.#failures === 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
    this.#failures += 1;
    return pauseMs;
  }
}
