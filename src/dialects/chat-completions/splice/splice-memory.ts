import { learnShape, type FrameShape } from './splice-shape.ts';

/** Enough for role, text, reasoning and several finish frames. */
const shapesMax = 8;

/** The first 64 frames without a matching shape are parsed to learn one. After that, every 61st is. */
const eagerAttempts = 64;
const attemptEvery = 61;

/**
 * The shapes of the frames that one upstream sends for one model. They are learned from answers and shared by later
 * ones.
 */
export class SpliceMemory {
  /** The last match comes first. */
  readonly shapes: FrameShape[] = [];
  #misses = 0;

  /** Moves a shape that matched to the front. */
  prefer(index: number): void {
    const [shape] = this.shapes.splice(index, 1);
    if (shape) this.shapes.unshift(shape);
  }

  /**
   * Learns from a frame that matched no shape. If the list is full, the shape that has not matched for longest is
   * removed.
   */
  learn(frame: string): void {
    this.#misses++;
    if (this.#misses > eagerAttempts && this.#misses % attemptEvery !== 0) return;
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
  return shape.head.source + (shape.type === 'empty' ? '' : shape.tail.source);
}
