import { LinkedQueue } from '../../src/serving/routing/fair-queue/linked-queue.ts';
import type { Demand } from '../../src/serving/routing/fair-queue/demand.ts';

/** First in, first out: the control for the fair queue. */
export class Fifo {
  readonly #queue = new LinkedQueue<Demand>();

  get waiting(): number {
    return this.#queue.length;
  }

  enter(demand: Demand): object {
    return this.#queue.push(demand);
  }

  next(): object | undefined {
    const link = this.#queue.firstLink;
    if (link) this.#queue.remove(link);
    return link;
  }

  leave(): void {}
}
