import type { Candidate } from './candidates.ts';
import type { Place } from './place.ts';

/** One call about to be made: whom it goes to, and the place it has there. */
export interface Dispatch {
  readonly candidate: Candidate;
  readonly place: Place;
  /** Since when the request waited for it, pauses included. */
  readonly sinceMs: number;
}
