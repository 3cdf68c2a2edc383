import type { EventFlow } from '../core/event-flow.ts';
import type { CallTrace } from '../core/request-trace.ts';
import type { Candidate } from './candidates.ts';
import type { Slot } from './slot.ts';

/** One call about to be made: whom it goes to, and the slot it has there. */
export interface Dispatch {
  readonly candidate: Candidate;
  readonly slot: Slot;
  /** Since when the request waited for it, pauses included. */
  readonly sinceMs: number;
  /** How much of that was a pause between two tries, in which it stood in no queue. */
  readonly pauseMs: number;
  /** The trace of the call, where it was begun before the call was asked for. */
  readonly trace?: CallTrace | undefined;
  /** Said of a call that has been made already. */
  readonly made?: MadeCall;
}

/** A call that was made before anybody asked how to go on if it fails. */
export interface MadeCall {
  readonly beganMs: number;
  /** The answer, once it is accepted; it is let go when nobody wants it any more. */
  answer(signal: AbortSignal): Promise<EventFlow>;
}
