import type { Visitor } from './fair-queue/visitor.ts';

/** How long a place is worth waiting for. */
export interface WaitOptions {
  readonly signal: AbortSignal;
  /** On the clock that measures elapsed time; from then on the wait ends as `overloaded`. */
  readonly deadlineMs: number;
}

/** The places at one upstream and those who wait for one. */
export interface LaneQueue {
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  /** A place at once, or none. */
  tryEnter(visitor: Visitor): Turn | undefined;
  enter(visitor: Visitor, wait: WaitOptions): Promise<Turn>;
  resize(max: number): void;
}

/** A place that is taken, and how it was come by. */
export interface Turn {
  readonly waitMs: number;
  /** How many were ahead when the wait began. */
  readonly position: number;
  leave(actualCost?: number): void;
  /** The upstream refused for want of capacity: gives the place back and waits at the head for the next, after a pause. */
  again(wait: WaitOptions & { readonly pauseMs: number }): Promise<Turn>;
}
