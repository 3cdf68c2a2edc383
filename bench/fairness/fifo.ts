import { LinkedLine } from '../../src/routing/fair-queue/linked-line.ts';
import type { Demand } from '../../src/routing/fair-queue/demand.ts';

/** First in, first out: the control for the fair queue. */
export class Fifo {
  readonly #line = new LinkedLine<Demand>();

  get waiting(): number {
    return this.#line.length;
  }

  enter(demand: Demand): object {
    return this.#line.push(demand);
  }

  next(): object | undefined {
    const link = this.#line.firstLink;
    if (link) this.#line.remove(link);
    return link;
  }

  leave(): void {}
}
