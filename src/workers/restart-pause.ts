const firstMs = 250;
const longestMs = 30_000;
/** Who has served for so long did not die of its start. */
const soundMs = 60_000;

/**
 * How long a place stays empty after its worker died: not at all the first time, then longer with every death that
 * follows soon, so that a program that cannot run does not take the processor from those that can.
 */
export class RestartPause {
  #deaths = 0;

  afterMs(servedMs: number): number {
    if (servedMs >= soundMs) this.#deaths = 0;
    const pauseMs = this.#deaths === 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (this.#deaths - 1));
    this.#deaths += 1;
    return pauseMs;
  }
}
