import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { CallTrace } from '../../../core/request-trace.ts';
import type { Candidate } from '../candidates/candidates.ts';
import type { Slot } from '../queue/slot.ts';

/** One call about to be made: its candidate, and the slot it has there. */
export interface Dispatch {
  readonly candidate: Candidate;
  readonly slot: Slot;
  /** Since when the request waited for the slot, including pauses. */
  readonly sinceMs: number;
  /** How much of that was a pause between two tries, outside any queue. */
  readonly pauseMs: number;
  /** Set if the trace of the call was begun before the call was routed. */
  readonly trace?: CallTrace | undefined;
  /** Set if the call has been made already. */
  readonly earlyCall?: EarlyCall;
}

/** A call that was made before its request bailed out of the fast path. */
export interface EarlyCall {
  readonly beganMs: number;
  /** Resolves with the answer once it is accepted; the answer is released when the signal aborts. */
  answer(signal: AbortSignal): Promise<EventFlow>;
}
