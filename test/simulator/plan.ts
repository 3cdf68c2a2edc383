import type { Demand } from './words.ts';

/** One request as its client plans it. */
export interface Plan {
  readonly id: string;
  readonly atMs: number;
  readonly accountId: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** What the answer has to be, if anything is demanded of it. */
  readonly demands?: Demand | undefined;
  /** Leaves after so much time, whatever it has got by then. */
  readonly leavesAfterMs?: number | undefined;
  /** Reads so many frames and then no more, without leaving. */
  readonly stopsReadingAfter?: number | undefined;
  /** Then reads on after so much time; never if not said. */
  readonly readsOnAfterMs?: number | undefined;
  /** The request that it asks again, word for word. */
  readonly again?: string | undefined;
  /** How often it says that it was sent before, as libraries do that retry by themselves. */
  readonly retries?: number | undefined;
  /** What its client calls it, so that it is answered once however often it is sent. */
  readonly name?: string | undefined;
  /** Whether it goes by the fast path as far as that leads; half of all do if not said. */
  readonly goesByFastPath?: boolean | undefined;
}
