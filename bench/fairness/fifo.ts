import { LinkedLine } from '../../src/routing/fair-queue/linked-line.ts';
import type { Visitor } from '../../src/routing/fair-queue/visitor.ts';

/** First come, first served: the control that the fair queue is compared with. */
export class Fifo {
  readonly #line = new LinkedLine<Visitor>();

  get waiting(): number {
    return this.#line.length;
  }

  enter(visitor: Visitor): object {
    return this.#line.push(visitor);
  }

  next(): object | undefined {
    const link = this.#line.firstLink;
    if (link) this.#line.remove(link);
    return link;
  }

  leave(): void {}
}
