import { learnShape, type FrameShape } from './splice-shape.ts';

/** Role, text, reasoning, a finish or two, and some to spare. */
const shapesMax = 8;

/** Frames that fit nothing are looked at closely so often; from then on every so many times. */
const eagerLooks = 64;
const looksEvery = 61;

/** The shapes of what one upstream sends for one model, learned from its answers and kept from one to the next. */
export class SpliceMemory {
  /** The one that fitted last comes first. */
  readonly shapes: FrameShape[] = [];
  #misses = 0;

  /** Remembers that a shape has fitted. */
  prefer(place: number): void {
    const [shape] = this.shapes.splice(place, 1);
    if (shape) this.shapes.unshift(shape);
  }

  /** Looks at a frame that fitted no shape; of those that are kept, the one that has not fitted for longest makes room. */
  look(frame: string): void {
    this.#misses++;
    if (this.#misses > eagerLooks && this.#misses % looksEvery !== 0) return;
    const shape = learnShape(frame);
    if (!shape || this.shapes.some((known) => isSame(known, shape))) return;
    this.shapes.unshift(shape);
    if (this.shapes.length > shapesMax) this.shapes.pop();
  }
}

function isSame(one: FrameShape, other: FrameShape): boolean {
  return sourceOf(one) === sourceOf(other);
}

function sourceOf(shape: FrameShape): string {
  return shape.head.source + (shape.type === 'still' ? '' : shape.tail.source);
}
