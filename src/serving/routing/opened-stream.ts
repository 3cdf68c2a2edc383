import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { Candidate } from './candidates/candidates.ts';

/** An answer that has begun, and the candidate that sends it. */
export interface OpenedStream {
  readonly flow: EventFlow;
  readonly candidate: Candidate;
}
